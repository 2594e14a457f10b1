import type { OpName } from '../ir/ops.js';
import { SIMD } from './opcodes.js';

/** Instructions that operate on the values of both iterations, for the operations that have one. */
export const REAL_INSTRUCTIONS: Partial<Record<OpName, number>> = {
  add: SIMD.f64x2Add,
  sub: SIMD.f64x2Sub,
  mul: SIMD.f64x2Mul,
  div: SIMD.f64x2Div,
  neg: SIMD.f64x2Neg,
  abs: SIMD.f64x2Abs,
  sqrt: SIMD.f64x2Sqrt,
  floor: SIMD.f64x2Floor,
  ceil: SIMD.f64x2Ceil,
  trunc: SIMD.f64x2Trunc,
  nearest: SIMD.f64x2Nearest,
};

export const REAL_COMPARISONS: Partial<Record<OpName, number>> = {
  lt: SIMD.f64x2Lt,
  le: SIMD.f64x2Le,
  gt: SIMD.f64x2Gt,
  ge: SIMD.f64x2Ge,
  eq: SIMD.f64x2Eq,
  ne: SIMD.f64x2Ne,
};

export const INT_COMPARISONS: Partial<Record<OpName, number>> = {
  lt_int: SIMD.i32x4LtS,
  le_int: SIMD.i32x4LeS,
  gt_int: SIMD.i32x4GtS,
  ge_int: SIMD.i32x4GeS,
  eq_int: SIMD.i32x4Eq,
  ne_int: SIMD.i32x4Ne,
};

export const INT_INSTRUCTIONS: Partial<Record<OpName, number>> = {
  add_int: SIMD.i32x4Add,
  sub_int: SIMD.i32x4Sub,
  mul_int: SIMD.i32x4Mul,
  neg_int: SIMD.i32x4Neg,
  abs_int: SIMD.i32x4Abs,
};

import { INT_MIN } from '../ir/integers.js';
import type { Expr, Ref, ScalarType } from '../ir/nodes.js';
import { OPS, type OpName } from '../ir/ops.js';
import { SmallSet } from '../ir/small.js';
import { isShallow, operandsOf } from '../ir/walk.js';
import type { Code } from './code.js';
import { shiftOf, valueType } from './context.js';
import type { Frame } from './frame.js';
import { I32, MISC, OP } from './opcodes.js';

/** The instruction for an operation that takes one instruction once its operands are on the stack. */
export const INSTRUCTIONS: Partial<Record<OpName, number>> = {
  add: OP.f64Add,
  sub: OP.f64Sub,
  mul: OP.f64Mul,
  div: OP.f64Div,
  neg: OP.f64Neg,
  abs: OP.f64Abs,
  sqrt: OP.f64Sqrt,
  floor: OP.f64Floor,
  ceil: OP.f64Ceil,
  trunc: OP.f64Trunc,
  nearest: OP.f64Nearest,
  copysign: OP.f64Copysign,
  lt: OP.f64Lt,
  le: OP.f64Le,
  gt: OP.f64Gt,
  ge: OP.f64Ge,
  eq: OP.f64Eq,
  ne: OP.f64Ne,
  add_int: OP.i32Add,
  sub_int: OP.i32Sub,
  mul_int: OP.i32Mul,
  lt_int: OP.i32LtS,
  le_int: OP.i32LeS,
  gt_int: OP.i32GtS,
  ge_int: OP.i32GeS,
  eq_int: OP.i32Eq,
  ne_int: OP.i32Ne,
  and: OP.i32And,
  or: OP.i32Or,
  not: OP.i32Eqz,
  to_real: OP.f64ConvertI32S,
};

/**
 * Maximum number of elements in an instruction's immediate offset. Such offsets do not wrap, so the address of `x[i]` to which the offset
 * of `x[i + offset]` is added must not be negative, even for negative i: the first 64 KiB of memory, which hold no container, cover the
 * difference.
 */
export const FURTHEST_OFFSET = 2 ** 13;

/**
 * Writes the expressions of one statement as stack code. A node that several parents share is computed once and kept in
 * a local until the statement is done.
 */
export class ExpressionWriter {
  readonly frame: Frame;
  /** Nodes that several parents share; null if no nodes are shared. */
  #shared: Set<Expr> | null = null;
  #held: Map<Expr, number> | null = null;

  /** `roots`: all expressions of the statement, each written once. */
  constructor(frame: Frame, roots: readonly Expr[]) {
    this.frame = frame;
    if (roots.length === 0 || (roots.length === 1 && isShallow(roots[0]))) return;
    const met = new SmallSet<Expr>();
    for (let k = 0; k < roots.length; k++) this.#note(roots[k], met);
  }

  #note(e: Expr, met: SmallSet<Expr>): void {
    if (e.kind !== 'apply' && e.kind !== 'load' && e.kind !== 'load_adjoint') return;
    if (!met.add(e)) {
      this.#shared ??= new Set();
      this.#shared.add(e);
      return;
    }
    const operands = operandsOf(e);
    for (let k = 0; k < operands.length; k++) this.#note(operands[k], met);
  }

  /** Releases the locals of shared nodes. */
  done(): void {
    if (this.#held === null) return;
    for (const [e, index] of this.#held) this.frame.code.release(valueType(e.type), index);
    this.#held = null;
  }

  isShared(e: Expr): boolean {
    return this.#shared?.has(e) ?? false;
  }

  /** Leaves the value of `e` on the stack. */
  write(e: Expr): void {
    const { code } = this.frame;
    const held = this.#held?.get(e);
    if (held !== undefined) {
      code.get(held);
      return;
    }
    this.#compute(e);
    if (this.isShared(e)) {
      const index = code.temporary(valueType(e.type));
      code.tee(index);
      this.#held ??= new Map();
      this.#held.set(e, index);
    }
  }

  #compute(e: Expr): void {
    const { frame } = this;
    const { code } = frame;
    switch (e.kind) {
      case 'const':
        if (e.type === 'int') code.i32(e.value);
        else code.f64(e.value);
        return;
      case 'get':
        frame.read(frame.local(e.local));
        return;
      case 'size':
        frame.read(frame.ref(e.ref).sizes[e.axis]);
        return;
      case 'target':
        code.get(frame.target);
        return;
      case 'load': {
        const offset = this.address(e.ref, e.index);
        if (e.type === 'int') code.memory(OP.i32Load, 2, offset);
        else code.memory(OP.f64Load, 3, offset);
        return;
      }
      case 'load_adjoint': {
        const offset = this.adjointAddress(e.ref, e.index);
        code.memory(OP.f64Load, 3, offset);
        return;
      }
      case 'apply':
        this.#apply(e.op, e.args);
    }
  }

  /** Leaves an address on the stack. The returned value is the element's offset from it. */
  address(ref: Ref, index: Expr): number {
    this.frame.readAddress(ref, false);
    return this.#advance(index, ref.element);
  }

  adjointAddress(ref: Ref, index: Expr): number {
    this.frame.readAddress(ref, true);
    return this.#advance(index, 'real');
  }

  #advance(index: Expr, element: ScalarType): number {
    const { code } = this.frame;
    const shift = shiftOf(element);
    if (index.kind === 'const') {
      if (index.value >= 0 && index.value < 2 ** 20) return index.value << shift;
      code.i32(index.value << shift);
      code.op(OP.i32Add);
      return 0;
    }
    let offset = 0;
    let variable = index;
    if (index.kind === 'apply' && index.op === 'add_int') {
      const [first, second] = index.args;
      if (first.kind === 'get' && second.kind === 'const' && second.value > 0 && second.value < FURTHEST_OFFSET) {
        variable = first;
        offset = second.value << shift;
      }
    }
    this.write(variable);
    this.frame.advance(element);
    return offset;
  }

  #apply(op: OpName, args: readonly Expr[]): void {
    const { code, module } = this.frame;
    const instruction = INSTRUCTIONS[op];
    if (instruction !== undefined) {
      for (let k = 0; k < args.length; k++) this.write(args[k]);
      code.op(instruction);
      return;
    }
    switch (op) {
      case 'select':
      case 'select_int':
        this.write(args[1]);
        this.write(args[2]);
        this.write(args[0]);
        code.op(OP.select);
        return;
      case 'detached':
        this.write(args[0]);
        return;
      case 'neg_int':
        code.i32(0);
        this.write(args[0]);
        code.op(OP.i32Sub);
        return;
      case 'abs_int':
        this.#absolute(args[0]);
        return;
      case 'div_int':
      case 'rem_int': {
        const divide = op === 'div_int' ? OP.i32DivS : OP.i32RemS;
        this.write(args[0]);
        if (isDivisor(args[1])) {
          this.write(args[1]);
          code.op(divide);
          return;
        }
        const dividend = code.temporary(I32);
        code.tee(dividend);
        this.write(args[1]);
        keepFromTrapping(code, op, dividend);
        code.op(divide);
        code.release(I32, dividend);
        return;
      }
      case 'to_int':
        this.write(args[0]);
        code.misc(MISC.i32TruncSatF64S);
        return;
    }
    const { wasm } = OPS[op];
    if (wasm.kind !== 'kernel') throw new Error(`no instruction for ${op}`);
    for (const arg of args) this.write(arg);
    code.call(module.kernelFunction(wasm.name).index);
  }

  /** |x| without a branch: (x ^ s) - s with s = x >> 31. */
  #absolute(x: Expr): void {
    const { code } = this.frame;
    const value = code.temporary(valueType('int'));
    this.write(x);
    code.tee(value);
    code.get(value);
    code.i32(31);
    code.op(OP.i32ShrS);
    code.op(OP.i32Xor);
    code.get(value);
    code.i32(31);
    code.op(OP.i32ShrS);
    code.op(OP.i32Sub);
    code.release(valueType('int'), value);
  }
}

/** Whether dividing by it never traps. */
function isDivisor(e: Expr): boolean {
  return e.kind === 'const' && e.value !== 0 && e.value !== -1;
}

/**
 * Checks precede divisions, but a value that is computed early may be one that a check rejects later. Adjusts the divisor on the stack so
 * that it is neither 0 nor, if the quotient would overflow, -1. A local contains the dividend.
 */
export function keepFromTrapping(code: Code, op: 'div_int' | 'rem_int', dividend: number): void {
  const divisor = code.temporary(I32);
  code.tee(divisor);
  code.get(divisor);
  code.op(OP.i32Eqz);
  code.op(OP.i32Add);
  if (op === 'div_int') {
    code.get(divisor);
    code.i32(-1);
    code.op(OP.i32Eq);
    code.get(dividend);
    code.i32(INT_MIN);
    code.op(OP.i32Eq);
    code.op(OP.i32And);
    code.i32(1);
    code.op(OP.i32Shl);
    code.op(OP.i32Add);
  }
  code.release(I32, divisor);
}

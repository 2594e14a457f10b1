import type { LoopAnalysis, VectorLoop } from '../dataflow/vectorize.js';
import type { Expr, Local, Ref } from '../ir/nodes.js';
import { OPS, type OpName } from '../ir/ops.js';
import { operandsOf } from '../ir/walk.js';
import { shiftOf } from './context.js';
import { INSTRUCTIONS, keepFromTrapping } from './expressions.js';
import type { Frame } from './frame.js';
import { inline } from './kernels.js';
import { F64, I32, MISC, OP, SIMD, V128 } from './opcodes.js';
import { type PairedCall, pairedCalls } from './paired-kernels.js';
import { INT_COMPARISONS, INT_INSTRUCTIONS, REAL_COMPARISONS, REAL_INSTRUCTIONS } from './vector-instructions.js';
import type { VectorPrologue } from './vector-prologue.js';

const SIGN_MASK = -0;
export const LANES = [0, 1] as const;
export type Lane = (typeof LANES)[number];
export type LanePair = readonly [number, number];

/** Kernels of at most this many bytes of code are written into the loop. */
const INLINE_LIMIT = 600;

/**
 * Writes the values of a loop that runs two iterations at a time: reals as f64x2, ints as a pair of scalars that are packed where reals are
 * made of them, conditions as masks. Invariant values are computed in a prologue before the loop.
 */
export class VectorValues {
  readonly #frame: Frame;
  readonly #loop: VectorLoop;
  readonly #analysis: LoopAnalysis;
  readonly #indexLocal: number;
  /** Called before memory is read at positions that a pending check may reject. */
  readonly #guard: () => void;
  readonly #prologue: VectorPrologue;
  readonly #reals = new Map<Local, number>();
  readonly #ints = new Map<Local, LanePair>();
  readonly #uses = new Map<Expr, number>();
  readonly #held = new Map<Expr, number>();
  readonly #heldLanes = new Map<Expr, LanePair>();
  readonly #paired: ReadonlyMap<Expr, PairedCall>;

  constructor(frame: Frame, loop: VectorLoop, indexLocal: number, prologue: VectorPrologue, guard: () => void) {
    this.#frame = frame;
    this.#loop = loop;
    this.#analysis = loop.analysis;
    this.#indexLocal = indexLocal;
    this.#prologue = prologue;
    this.#guard = guard;
    this.#paired = pairedCalls(loop);
  }

  /** Starts a statement: `roots` are all its expressions. */
  begin(roots: readonly Expr[]): void {
    for (const map of [this.#uses, this.#held, this.#heldLanes]) if (map.size > 0) map.clear();
    for (const root of roots) this.#count(root);
  }

  /** Ends a statement: releases the locals that its expressions shared. */
  end(): void {
    const { code } = this.#frame;
    for (const index of this.#held.values()) code.release(V128, index);
    for (const [e, pair] of this.#heldLanes) {
      for (const index of pair) code.release(e.type === 'int' ? I32 : F64, index);
    }
  }

  /** The number of uses of an expression within the statement. */
  uses(e: Expr): number {
    return this.#uses.get(e) ?? 0;
  }

  #count(e: Expr): void {
    if (e.kind === 'const' || e.kind === 'get' || e.kind === 'size') return;
    const uses = (this.#uses.get(e) ?? 0) + 1;
    this.#uses.set(e, uses);
    if (uses === 1) for (const operand of operandsOf(e)) this.#count(operand);
  }

  realLocal(local: Local): number {
    let index = this.#reals.get(local);
    if (index === undefined) {
      index = this.#prologue.keep(V128);
      this.#reals.set(local, index);
    }
    return index;
  }

  intLocal(local: Local): LanePair {
    let pair = this.#ints.get(local);
    if (pair === undefined) {
      pair = [this.#prologue.keep(I32), this.#prologue.keep(I32)];
      this.#ints.set(local, pair);
    }
    return pair;
  }

  // Addresses

  /** Leaves the address of the first lane's element on the stack; the returned offset and 8 (4) bytes per lane must be added. */
  unitAddress(ref: Ref, index: Expr, adjoint: boolean, lane: Lane): number {
    const { code } = this.#frame;
    const elements = this.#prologue.unitBase(ref, index, adjoint);
    code.get(this.#indexLocal);
    this.#frame.advance(ref.element);
    return (elements + lane) << shiftOf(ref.element);
  }

  laneAddress(ref: Ref, index: Expr, adjoint: boolean, lane: Lane): number {
    if (this.#analysis.strideOf(index).kind === 'unit') return this.unitAddress(ref, index, adjoint, lane);
    this.#frame.readAddress(ref, adjoint);
    this.lane(index, lane);
    this.#frame.advance(ref.element);
    return 0;
  }

  // Values

  /** Leaves both iterations' values of a real expression on the stack. */
  vector(e: Expr): void {
    const { code } = this.#frame;
    const held = this.#held.get(e);
    if (held !== undefined) {
      code.get(held);
      return;
    }
    if (this.isSplat(e)) {
      code.get(this.#prologue.splat(e));
      return;
    }
    this.#computeVector(e);
    this.#hold(e);
  }

  #hold(e: Expr): void {
    if ((this.#uses.get(e) ?? 0) < 2) return;
    const { code } = this.#frame;
    const index = code.temporary(V128);
    code.tee(index);
    this.#held.set(e, index);
  }

  isSplat(e: Expr): boolean {
    return this.#analysis.isInvariant(e);
  }

  #computeVector(e: Expr): void {
    const { code } = this.#frame;
    switch (e.kind) {
      case 'get':
        code.get(this.realLocal(e.local));
        return;
      case 'load':
      case 'load_adjoint':
        this.#loadVector(e.ref, e.index, e.kind === 'load_adjoint');
        return;
      case 'apply':
        this.#applyVector(e.op, e.args, e);
        return;
      default:
        throw new Error(`a vector loop cannot read '${e.kind}'`);
    }
  }

  #loadVector(ref: Ref, index: Expr, adjoint: boolean): void {
    const { code } = this.#frame;
    const stride = this.#analysis.strideOf(index).kind;
    this.#guard();
    if (stride === 'unit') {
      const offset = this.unitAddress(ref, index, adjoint, 0);
      code.simdMemory(SIMD.load, offset);
      return;
    }
    if (stride === 'invariant') {
      const offset = this.laneAddress(ref, index, adjoint, 0);
      code.simdMemory(SIMD.load64Splat, offset);
      return;
    }
    const second = this.laneAddress(ref, index, adjoint, 1);
    const first = this.laneAddress(ref, index, adjoint, 0);
    code.simdMemory(SIMD.load64Zero, first);
    code.simdMemory(SIMD.load64Lane, second);
    code.out.byte(1);
  }

  #applyVector(op: OpName, args: readonly Expr[], e: Expr): void {
    const { code, module } = this.#frame;
    const instruction = REAL_INSTRUCTIONS[op];
    if (instruction !== undefined) {
      for (const arg of args) this.vector(arg);
      code.simd(instruction);
      return;
    }
    if (op === 'select') {
      this.vector(args[1]);
      this.vector(args[2]);
      this.mask(args[0]);
      code.simd(SIMD.bitselect);
      return;
    }
    if (op === 'copysign') {
      this.vector(args[1]);
      this.vector(args[0]);
      code.get(this.#prologue.constant(SIGN_MASK));
      code.simd(SIMD.bitselect);
      return;
    }
    if (op === 'detached') {
      this.vector(args[0]);
      return;
    }
    if (op === 'to_real') {
      this.#toReal(args[0]);
      return;
    }
    const paired = this.#paired.get(e);
    if (paired !== undefined) {
      code.get(paired.resultOf(op, () => this.#callPaired(paired.kernel, args)));
      return;
    }
    const { wasm } = OPS[op];
    if (wasm.kind !== 'kernel') throw new Error(`no vector form of ${op}`);
    const kernel = module.mathKernel(`${wasm.name}_v`);
    if (kernel === undefined) {
      this.#perLane(e);
      return;
    }
    for (const arg of args) this.vector(arg);
    const { functions } = module.kernels.math;
    if (functions[kernel].code.length <= INLINE_LIMIT) {
      inline(functions[kernel], code, module.mathFunction, (bytes) => this.#prologue.kernelConstant(bytes));
    } else code.call(module.mathFunction(kernel));
  }

  /** Calls a kernel that computes values and derivatives; returns the locals with both. */
  #callPaired(name: string, args: readonly Expr[]): readonly [number, number] {
    const { code, module } = this.#frame;
    const address = this.#prologue.derivatives();
    const results = [this.#prologue.keep(V128), this.#prologue.keep(V128)] as const;
    for (const arg of args) this.vector(arg);
    code.get(address);
    code.call(module.kernelFunction(name).index);
    code.set(results[0]);
    code.get(address);
    code.simdMemory(SIMD.load, 0);
    code.set(results[1]);
    return results;
  }

  /** Calls a kernel without a vector form once per lane. */
  #perLane(e: Expr): void {
    const { code } = this.#frame;
    this.lane(e, 0);
    code.simd(SIMD.f64x2Splat);
    this.lane(e, 1);
    code.lane(SIMD.f64x2ReplaceLane, 1);
  }

  #toReal(e: Expr): void {
    const { code } = this.#frame;
    if (this.#isTruth(e)) {
      this.mask(e);
      code.get(this.#prologue.constant(1));
      code.simd(SIMD.and);
      return;
    }
    this.#packed(e);
    code.simd(SIMD.f64x2ConvertLowI32x4S);
  }

  #isTruth(e: Expr): boolean {
    if (e.kind !== 'apply' || this.isSplat(e)) return false;
    return (
      REAL_COMPARISONS[e.op] !== undefined ||
      INT_COMPARISONS[e.op] !== undefined ||
      e.op === 'and' ||
      e.op === 'or' ||
      e.op === 'not'
    );
  }

  /** Leaves all ones in the lanes of iterations in which the int is not zero. */
  mask(e: Expr): void {
    const { code } = this.#frame;
    if (this.isSplat(e)) {
      code.get(this.#prologue.mask(e));
      return;
    }
    const isShared = (this.#uses.get(e) ?? 0) > 1 && this.#isTruth(e);
    const held = isShared ? this.#held.get(e) : undefined;
    if (held !== undefined) {
      code.get(held);
      return;
    }
    this.#computeMask(e);
    if (isShared) this.#hold(e);
  }

  #computeMask(e: Expr): void {
    const { code } = this.#frame;
    if (e.kind === 'apply') {
      const [first, second] = e.args;
      const real = REAL_COMPARISONS[e.op];
      const int = INT_COMPARISONS[e.op];
      if (real !== undefined) {
        this.vector(first);
        this.vector(second);
        code.simd(real);
        return;
      }
      if (int !== undefined) {
        this.#packed(first);
        this.#packed(second);
        code.simd(int);
        code.simd(SIMD.i64x2ExtendLowI32x4S);
        return;
      }
      if (e.op === 'and' || e.op === 'or') {
        this.mask(first);
        this.mask(second);
        code.simd(e.op === 'and' ? SIMD.and : SIMD.or);
        return;
      }
      if (e.op === 'not') {
        if (first.kind === 'apply' && first.op === 'ne' && !this.isSplat(first)) {
          this.#computeMask({ ...first, op: 'eq' });
          return;
        }
        this.mask(first);
        code.simd(SIMD.not);
        return;
      }
    }
    this.#packed(e);
    code.zero(V128);
    code.simd(SIMD.i32x4Ne);
    code.simd(SIMD.i64x2ExtendLowI32x4S);
  }

  /** Leaves both iterations' ints in the two low lanes of an i32x4. */
  #packed(e: Expr): void {
    const { code } = this.#frame;
    if (this.isSplat(e)) {
      code.get(this.#prologue.splat(e));
      return;
    }
    if (e.kind === 'load' && this.#analysis.strideOf(e.index).kind === 'unit') {
      this.#guard();
      const offset = this.unitAddress(e.ref, e.index, false, 0);
      code.simdMemory(SIMD.load64Zero, offset);
      return;
    }
    if (e.kind === 'apply') {
      const instruction = INT_INSTRUCTIONS[e.op];
      if (instruction !== undefined) {
        const held = this.#held.get(e);
        if (held !== undefined) {
          code.get(held);
          return;
        }
        for (const arg of e.args) this.#packed(arg);
        code.simd(instruction);
        this.#hold(e);
        return;
      }
    }
    this.lane(e, 0);
    code.simd(SIMD.i32x4Splat);
    this.lane(e, 1);
    code.lane(SIMD.i32x4ReplaceLane, 1);
  }

  /** Leaves one iteration's value on the stack. */
  lane(e: Expr, lane: Lane): void {
    const { code } = this.#frame;
    if (e.type === 'real' && !(e.kind === 'apply' && this.#isPerLane(e.op))) {
      if (e.kind === 'const') {
        code.f64(e.value);
        return;
      }
      // The second lane is extracted from the same vector.
      if (e.kind === 'apply' && !this.#held.has(e) && !this.isSplat(e)) this.#uses.set(e, 2);
      this.vector(e);
      code.lane(SIMD.f64x2ExtractLane, lane);
      return;
    }
    if (e.type === 'int' && this.isSplat(e)) {
      if (e.kind === 'const') code.i32(e.value);
      else code.get(this.#prologue.int(e));
      return;
    }
    const known = this.#heldLanes.get(e);
    if (known !== undefined) {
      code.get(known[lane]);
      return;
    }
    if (e.kind !== 'get' && (this.#uses.get(e) ?? 0) > 1) {
      const type = e.type === 'int' ? I32 : F64;
      const pair: LanePair = [code.temporary(type), code.temporary(type)];
      for (const k of LANES) {
        this.#computeLane(e, k);
        code.set(pair[k]);
      }
      this.#heldLanes.set(e, pair);
      code.get(pair[lane]);
      return;
    }
    this.#computeLane(e, lane);
  }

  #isPerLane(op: OpName): boolean {
    const { wasm } = OPS[op];
    if (wasm.kind !== 'kernel') return false;
    return this.#frame.module.mathKernel(`${wasm.name}_v`) === undefined;
  }

  #computeLane(e: Expr, lane: Lane): void {
    const { code } = this.#frame;
    switch (e.kind) {
      case 'get':
        if (e.local === this.#loop.index) {
          code.get(this.#indexLocal);
          if (lane === 0) return;
          code.i32(1);
          code.op(OP.i32Add);
        } else code.get(this.intLocal(e.local)[lane]);
        return;
      case 'load': {
        this.#guard();
        const offset = this.laneAddress(e.ref, e.index, false, lane);
        code.memory(OP.i32Load, 2, offset);
        return;
      }
      case 'apply':
        this.#applyLane(e.op, e.args, lane);
        return;
      default:
        throw new Error(`a vector loop cannot read '${e.kind}'`);
    }
  }

  #applyLane(op: OpName, args: readonly Expr[], lane: Lane): void {
    const { code, module } = this.#frame;
    const instruction = INSTRUCTIONS[op];
    if (instruction !== undefined) {
      for (const arg of args) this.lane(arg, lane);
      code.op(instruction);
      return;
    }
    switch (op) {
      case 'select_int':
        this.lane(args[1], lane);
        this.lane(args[2], lane);
        this.lane(args[0], lane);
        code.op(OP.select);
        return;
      case 'neg_int':
        code.i32(0);
        this.lane(args[0], lane);
        code.op(OP.i32Sub);
        return;
      case 'to_int':
        this.lane(args[0], lane);
        code.misc(MISC.i32TruncSatF64S);
        return;
      case 'div_int':
      case 'rem_int': {
        const dividend = code.temporary(I32);
        this.lane(args[0], lane);
        code.tee(dividend);
        this.lane(args[1], lane);
        keepFromTrapping(code, op, dividend);
        code.op(op === 'div_int' ? OP.i32DivS : OP.i32RemS);
        code.release(I32, dividend);
        return;
      }
      case 'abs_int':
        this.#packed(args[0]);
        code.simd(SIMD.i32x4Abs);
        code.lane(SIMD.i32x4ExtractLane, lane);
        return;
    }
    const { wasm } = OPS[op];
    if (wasm.kind !== 'kernel') throw new Error(`no lane form of ${op}`);
    for (const arg of args) this.lane(arg, lane);
    code.call(module.kernelFunction(wasm.name).index);
  }
}

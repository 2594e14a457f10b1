import type { LoopAnalysis } from '../dataflow/vectorize.js';
import type { Expr, Local, Ref } from '../ir/nodes.js';
import { ByteWriter } from './bytes.js';
import { shiftOf } from './context.js';
import { ExpressionWriter, FURTHEST_OFFSET } from './expressions.js';
import type { Frame } from './frame.js';
import { I32, OP, SIMD, V128, type ValueType } from './opcodes.js';

/** Code that runs once before a loop of two iterations at a time, and the locals with its results. */
export class VectorPrologue {
  readonly code = new ByteWriter();
  /** The number of enclosing open blocks. */
  readonly depth: number;
  readonly #frame: Frame;
  readonly #analysis: LoopAnalysis;
  readonly #kept: { readonly type: ValueType; readonly index: number }[] = [];
  readonly #constants = new Map<number, number>();
  readonly #kernelConstants = new Map<string, number>();
  readonly #splats = new Map<Expr | Local, number>();
  readonly #ints = new Map<Expr, number>();
  readonly #masks = new Map<Expr, number>();
  readonly #bases = new Map<string, number>();
  #derivatives: number | null = null;

  constructor(frame: Frame, analysis: LoopAnalysis) {
    this.#frame = frame;
    this.#analysis = analysis;
    this.depth = frame.code.depth + 1;
  }

  /** A local that nothing else uses while the loop runs. */
  keep(type: ValueType): number {
    const index = this.#frame.code.ofLoop(type);
    this.#kept.push({ type, index });
    return index;
  }

  /** Releases the locals after the loop. */
  release(): void {
    for (const { type, index } of this.#kept) this.#frame.code.releaseOfLoop(type, index);
  }

  /** A local for the value that `write` leaves on the stack. */
  before(type: ValueType, write: () => void): number {
    const { code } = this.#frame;
    const index = this.keep(type);
    this.write(() => {
      write();
      code.set(index);
    });
    return index;
  }

  write(write: () => void): void {
    this.#frame.code.into(this.code, this.depth, write);
  }

  zeroSum(): number {
    return this.before(V128, () => this.#frame.code.zero(V128));
  }

  constant(value: number): number {
    const { code } = this.#frame;
    const key = Object.is(value, -0) ? Number.MIN_VALUE : value;
    return found(this.#constants, key, () =>
      this.before(V128, () => {
        code.f64(value);
        code.simd(SIMD.f64x2Splat);
      }),
    );
  }

  /** Constants of inlined kernels are loaded before the loop: as immediates they would be materialized in every iteration. */
  kernelConstant(bytes: Uint8Array): number {
    const { code } = this.#frame;
    return found(this.#kernelConstants, bytes.join(), () =>
      this.before(V128, () => {
        code.simd(SIMD.const);
        code.out.bytes(bytes);
      }),
    );
  }

  /** An invariant value in all lanes: two for a real, four for an int. */
  splat(e: Expr): number {
    if (e.kind === 'const' && e.type === 'real') return this.constant(e.value);
    return found(this.#splats, e.kind === 'get' ? e.local : e, () =>
      this.before(V128, () => {
        this.#scalar(e);
        this.#frame.code.simd(e.type === 'real' ? SIMD.f64x2Splat : SIMD.i32x4Splat);
      }),
    );
  }

  /** All ones if the invariant int is not zero, else zeros. */
  mask(e: Expr): number {
    const { code } = this.#frame;
    return found(this.#masks, e, () =>
      this.before(V128, () => {
        code.i32(0);
        this.#scalar(e);
        code.i32(0);
        code.op(OP.i32Ne);
        code.op(OP.i32Sub);
        code.op(OP.i64ExtendI32S);
        code.simd(SIMD.i64x2Splat);
      }),
    );
  }

  /** An invariant int. */
  int(e: Expr): number {
    return found(this.#ints, e, () => this.before(I32, () => this.#scalar(e)));
  }

  /** A local with the address where kernels store derivatives. */
  derivatives(): number {
    const { code, module } = this.#frame;
    this.#derivatives ??= this.before(I32, () => {
      code.globalGet(module.registers.control);
      code.i32(module.derivatives);
      code.op(OP.i32Add);
    });
    return this.#derivatives;
  }

  /** Leaves the loop's block before the first iteration if the invariant condition does not hold. */
  check(condition: Expr): void {
    const { code } = this.#frame;
    this.write(() => {
      this.#scalar(condition);
      code.op(OP.i32Eqz);
      code.brIf(this.depth);
    });
  }

  /**
   * Leaves on the stack the address of the element at which an index with stride one starts; the returned number of elements must be added.
   */
  unitBase(ref: Ref, index: Expr, adjoint: boolean): number {
    const { code } = this.#frame;
    const stride = this.#analysis.strideOf(index);
    if (stride.kind !== 'unit') throw new Error('index does not move by one');
    const isSmall = stride.constant >= 0 && stride.constant < FURTHEST_OFFSET;
    const isAtHand = adjoint || !this.#frame.ref(ref).pointer.global;
    if (stride.terms.length === 0 && isSmall && isAtHand) {
      this.#frame.readAddress(ref, adjoint);
      return stride.constant;
    }
    const shift = shiftOf(ref.element);
    const key = `${ref.id}${adjoint ? 'a' : ''}:${this.#analysis.keyOf(index)}`;
    const base = found(this.#bases, key, () =>
      this.before(I32, () => {
        this.#frame.readAddress(ref, adjoint);
        const values = stride.terms.map(({ value }) => value);
        const writer = new ExpressionWriter(this.#frame, values);
        for (const { value, negative } of stride.terms) {
          writer.write(value);
          code.i32(shift);
          code.op(OP.i32Shl);
          code.op(negative ? OP.i32Sub : OP.i32Add);
        }
        writer.done();
        if (!isSmall) {
          code.i32(stride.constant << shift);
          code.op(OP.i32Add);
        }
      }),
    );
    code.get(base);
    return isSmall ? stride.constant : 0;
  }

  #scalar(e: Expr): void {
    const writer = new ExpressionWriter(this.#frame, [e]);
    writer.write(e);
    writer.done();
  }
}

function found<Key>(known: Map<Key, number>, key: Key, make: () => number): number {
  const index = known.get(key) ?? make();
  known.set(key, index);
  return index;
}

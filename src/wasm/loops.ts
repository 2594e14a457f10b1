import type { LoopStatement } from '../dataflow/effects.js';
import { Memory } from '../dataflow/memory.js';
import type { Uses } from '../dataflow/uses.js';
import { type VectorLoop, vectorLoop } from '../dataflow/vectorize.js';
import { INT_MAX } from '../ir/integers.js';
import type { Block, Expr, Local, StatementOf } from '../ir/nodes.js';
import { ExpressionWriter } from './expressions.js';
import type { Frame } from './frame.js';
import { releasing } from './memory.js';
import { I32, OP } from './opcodes.js';
import { VectorWriter } from './vector.js';

/** The index of a loop's last iteration. */
type LoopEnd = { readonly kind: 'const'; readonly value: number } | { readonly kind: 'local'; readonly local: number };

/** Writes loops, two iterations at a time where possible. */
export class LoopWriter {
  readonly #frame: Frame;
  readonly #memory: Memory;
  readonly #writeBlock: (block: Block) => void;

  /** `uses`: of the function that contains the loops. */
  constructor(frame: Frame, uses: () => Uses, writeBlock: (block: Block) => void) {
    this.#frame = frame;
    this.#memory = new Memory(uses);
    this.#writeBlock = writeBlock;
  }

  for(statement: StatementOf<'for'>, writer: ExpressionWriter): void {
    this.#upwards(statement, writer, this.#vectorLoop(statement));
  }

  #upwards(statement: StatementOf<'for'>, writer: ExpressionWriter, vector: VectorLoop | null): void {
    const { from, to } = statement;
    const { code } = this.#frame;
    const index = this.#index(statement.index);
    writer.write(from);
    const last = this.#endOf(to, writer, true);
    writer.done();
    code.set(index);
    if (vector !== null) this.#vector(vector, index, last, to.kind === 'size');
    code.get(index);
    this.#readEnd(last);
    code.op(OP.i32LeS);
    code.if();
    const loop = code.loop();
    this.#iteration(statement);
    code.get(index);
    this.#readEnd(last);
    code.op(OP.i32LtS);
    code.get(index);
    code.i32(1);
    code.op(OP.i32Add);
    code.set(index);
    code.brIf(loop);
    code.end();
    code.end();
    this.#releaseEnd(last);
  }

  forReverse(statement: StatementOf<'for_reverse'>, writer: ExpressionWriter): void {
    // Independent iterations may run in either direction.
    const vector = this.#vectorLoop(statement);
    if (vector !== null) {
      this.#upwards({ ...statement, kind: 'for' }, writer, vector);
      return;
    }
    const { from, to } = statement;
    const { code } = this.#frame;
    const index = this.#index(statement.index);
    const first = this.#endOf(from, writer, false);
    writer.write(to);
    writer.done();
    code.i32(1);
    code.op(OP.i32Sub);
    code.tee(index);
    this.#readEnd(first);
    code.op(OP.i32GeS);
    code.if();
    const loop = code.loop();
    this.#iteration(statement);
    code.get(index);
    this.#readEnd(first);
    code.op(OP.i32GtS);
    code.get(index);
    code.i32(1);
    code.op(OP.i32Sub);
    code.set(index);
    code.brIf(loop);
    code.end();
    code.end();
    this.#releaseEnd(first);
  }

  while(statement: StatementOf<'while'>): void {
    const { condition } = statement;
    const { code } = this.#frame;
    const block = code.block();
    const loop = code.loop();
    const test = new ExpressionWriter(this.#frame, [condition]);
    test.write(condition);
    test.done();
    code.op(OP.i32Eqz);
    code.brIf(block);
    this.#iteration(statement);
    code.br(loop);
    code.end();
    code.end();
  }

  #vectorLoop(loop: StatementOf<'for' | 'for_reverse'>): VectorLoop | null {
    const { vectorizes, liveBehind, purpose } = this.#frame;
    const live = liveBehind.get(loop);
    return vectorizes && live !== undefined ? vectorLoop(loop, live, purpose.isCallee) : null;
  }

  /**
   * Runs two iterations at a time while at least two are left. If the index may reach the greatest int, the last iteration runs alone, so
   * that the index never wraps.
   */
  #vector(loop: VectorLoop, index: number, last: LoopEnd, isBelowMost: boolean): void {
    const { code } = this.#frame;
    const limit = isBelowMost ? last : this.#belowMost(last);
    code.get(index);
    this.#readEnd(limit);
    code.op(OP.i32LtS);
    code.if();
    new VectorWriter(this.#frame, loop, index).write(() => this.#readEnd(limit));
    code.end();
    if (limit !== last) this.#releaseEnd(limit);
  }

  /** The index itself, or at most the greatest int minus one. */
  #belowMost(last: LoopEnd): LoopEnd {
    if (last.kind === 'const') return { kind: 'const', value: Math.min(last.value, INT_MAX - 1) };
    const { code } = this.#frame;
    const local = code.temporary(I32);
    code.get(last.local);
    code.get(last.local);
    code.i32(INT_MAX);
    code.op(OP.i32Eq);
    code.op(OP.i32Sub);
    code.set(local);
    return { kind: 'local', local };
  }

  /** One iteration of a loop. Outside gradients, memory that it allocates is freed at its end if nothing outside refers to it. */
  #iteration(loop: LoopStatement): void {
    const { body } = loop;
    if (!this.#frame.purpose.differentiates && this.#memory.isConfinedToBody(loop))
      releasing(this.#frame, () => this.#writeBlock(body));
    else this.#writeBlock(body);
  }

  #index(local: Local): number {
    const place = this.#frame.local(local);
    if (place.global) throw new Error(`loop index ${local.name} is global`);
    return place.index;
  }

  /** Evaluates a loop's end once: a constant remains, any other end goes to a local. `isBehind`: the end is one after the last index. */
  #endOf(end: Expr, writer: ExpressionWriter, isBehind: boolean): LoopEnd {
    if (end.kind === 'const') return { kind: 'const', value: isBehind ? end.value - 1 : end.value };
    const { code } = this.#frame;
    const local = code.temporary(I32);
    writer.write(end);
    if (isBehind) {
      code.i32(1);
      code.op(OP.i32Sub);
    }
    code.set(local);
    return { kind: 'local', local };
  }

  #readEnd(end: LoopEnd): void {
    if (end.kind === 'const') this.#frame.code.i32(end.value);
    else this.#frame.code.get(end.local);
  }

  #releaseEnd(end: LoopEnd): void {
    if (end.kind === 'local') this.#frame.code.release(I32, end.local);
  }
}

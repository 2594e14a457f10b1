import type { LoopAnalysis, VectorLoop } from '../dataflow/vectorize.js';
import { isGetOf } from '../ir/expressions.js';
import type { Expr, Local, Ref, Statement, TargetTerm } from '../ir/nodes.js';
import { incrementsOf } from '../ir/sums.js';
import { expressionsOf } from '../ir/walk.js';
import { ByteWriter } from './bytes.js';
import { ExpressionWriter } from './expressions.js';
import type { Frame } from './frame.js';
import { I32, OP, SIMD, V128 } from './opcodes.js';
import { addToTarget } from './target.js';
import { VectorLogarithms } from './vector-logarithms.js';
import { VectorPrologue } from './vector-prologue.js';
import { LANES, VectorValues } from './vector-values.js';

/** An adjoint that all iterations add to, as a sum over the iterations. */
interface AdjointSum {
  readonly ref: Ref;
  readonly index: Expr;
  readonly local: number;
}

/** The bits of a mask that is set in both lanes. */
const BOTH_LANES = 3;

/**
 * Writes a loop that runs two iterations at a time, f64x2. Invariant values are computed before the loop; sums are kept in both lanes and
 * added up after it. Integers are kept as a pair of scalars, and packed where reals are made of them.
 */
export class VectorWriter {
  readonly #frame: Frame;
  readonly #loop: VectorLoop;
  readonly #analysis: LoopAnalysis;
  readonly #indexLocal: number;
  readonly #prologue: VectorPrologue;
  readonly #values: VectorValues;
  readonly #sums = new Map<Local, number>();
  readonly #targets = new Map<TargetTerm, number>();
  readonly #logarithms: VectorLogarithms;
  readonly #adjointSums = new Map<string, AdjointSum>();
  /** A local with all ones in the lanes that have passed the checks that have not been examined yet; null before the first check. */
  #passes: number | null = null;
  #hasChecks = false;
  /** The block around the vector loop; leaving it continues with the scalar loop. */
  #leave = 0;

  constructor(frame: Frame, loop: VectorLoop, indexLocal: number) {
    this.#frame = frame;
    this.#loop = loop;
    this.#analysis = loop.analysis;
    this.#indexLocal = indexLocal;
    this.#prologue = new VectorPrologue(frame, loop.analysis);
    this.#values = new VectorValues(frame, loop, indexLocal, this.#prologue, () => this.#lookAtChecks());
    this.#logarithms = new VectorLogarithms(frame, this.#prologue, this.#values);
  }

  /**
   * Writes the loop. At least two iterations remain when it starts; `last` leaves the index of the last iteration on the stack. Afterwards
   * the index is that of the first iteration that has not run, or that a check has rejected.
   */
  write(last: () => void): void {
    const { code } = this.#frame;
    code.block();
    const iterations = new ByteWriter(1024);
    code.into(iterations, code.depth, () => this.#iterations(last));
    code.out.bytes(this.#prologue.code.view());
    code.out.bytes(iterations.view());
    this.#finish();
    code.end();
    this.#prologue.release();
  }

  #iterations(last: () => void): void {
    const { code } = this.#frame;
    const index = this.#indexLocal;
    const most = VectorLogarithms.iterationsOf(this.#loop);
    const stop = most === null ? null : this.#prologue.keep(I32);
    this.#leave = code.block();
    const outer = code.loop();
    if (most !== null && stop !== null) this.#setStop(stop, LANES.length * most, last);
    const inner = stop === null ? outer : code.loop();
    for (const statement of this.#loop.body) this.#statement(statement);
    this.#lookAtChecks();
    code.get(index);
    code.i32(2);
    code.op(OP.i32Add);
    code.tee(index);
    if (stop === null) last();
    else code.get(stop);
    code.op(OP.i32LtS);
    code.brIf(inner);
    code.end();
    if (stop !== null) {
      this.#logarithms.take();
      code.get(index);
      last();
      code.op(OP.i32LtS);
      code.brIf(outer);
      code.end();
    }
    code.end();
  }

  /** The index at which products must be turned into sums, or the last one. */
  #setStop(stop: number, iterations: number, last: () => void): void {
    const { code } = this.#frame;
    code.get(this.#indexLocal);
    code.i32(iterations);
    code.op(OP.i32Add);
    code.set(stop);
    last();
    code.get(stop);
    last();
    code.get(this.#indexLocal);
    code.op(OP.i32Sub);
    code.i32(iterations);
    code.op(OP.i32LtU);
    code.op(OP.select);
    code.set(stop);
  }

  /** Adds up the sums and assigns the values of the last iteration. */
  #finish(): void {
    const { code } = this.#frame;
    for (const [local, index] of this.#sums) {
      const place = this.#frame.local(local);
      this.#frame.read(place);
      this.#sumOfLanes(index);
      code.op(OP.f64Add);
      this.#frame.write(place);
    }
    for (const [term, index] of this.#targets) addToTarget(this.#frame, term, () => this.#sumOfLanes(index));
    for (const { ref, index, local } of this.#adjointSums.values()) {
      const address = code.temporary(I32);
      const writer = new ExpressionWriter(this.#frame, [index]);
      const offset = writer.adjointAddress(ref, index);
      writer.done();
      code.tee(address);
      code.get(address);
      code.memory(OP.f64Load, 3, offset);
      this.#sumOfLanes(local);
      code.op(OP.f64Add);
      code.memory(OP.f64Store, 3, offset);
      code.release(I32, address);
    }
    for (const local of this.#loop.liveOut) {
      if (local.type === 'int') code.get(this.#values.intLocal(local)[1]);
      else {
        code.get(this.#values.realLocal(local));
        code.lane(SIMD.f64x2ExtractLane, 1);
      }
      this.#frame.write(this.#frame.local(local));
    }
  }

  #sumOfLanes(local: number): void {
    const { code } = this.#frame;
    for (const lane of LANES) {
      code.get(local);
      code.lane(SIMD.f64x2ExtractLane, lane);
    }
    code.op(OP.f64Add);
  }

  #statement(statement: Statement): void {
    this.#values.begin(expressionsOf(statement));
    this.#write(statement);
    this.#values.end();
  }

  #write(statement: Statement): void {
    switch (statement.kind) {
      case 'assign':
        this.#assign(statement.local, statement.value);
        return;
      case 'target': {
        let sum = this.#targets.get(statement.term);
        if (sum === undefined) {
          sum = this.#prologue.zeroSum();
          this.#targets.set(statement.term, sum);
        }
        this.#logarithms.add(sum, statement.value, false);
        return;
      }
      case 'check':
        this.#check(statement.condition);
        return;
      case 'store':
        this.#lookAtChecks();
        this.#store(statement.ref, statement.index, statement.value, false);
        return;
      case 'set_adjoint':
        this.#lookAtChecks();
        this.#store(statement.ref, statement.index, statement.value, true);
        return;
      case 'add_adjoint':
        this.#addAdjoint(statement.ref, statement.index, statement.value);
        return;
      default:
        throw new Error(`a vector loop cannot hold '${statement.kind}'`);
    }
  }

  #assign(local: Local, value: Expr): void {
    const { code } = this.#frame;
    if (this.#loop.sums.has(local)) {
      let sum = this.#sums.get(local);
      if (sum === undefined) {
        sum = this.#prologue.zeroSum();
        this.#sums.set(local, sum);
      }
      for (const term of incrementsOf(value, isGetOf(local)) ?? [])
        this.#logarithms.add(sum, term.value, term.negative);
      return;
    }
    if (local.type === 'real') {
      this.#values.vector(value);
      code.set(this.#values.realLocal(local));
      return;
    }
    for (const lane of LANES) this.#values.lane(value, lane);
    const [first, second] = this.#values.intLocal(local);
    code.set(second);
    code.set(first);
  }

  #addTo(sum: number, value: Expr): void {
    const { code } = this.#frame;
    code.get(sum);
    this.#values.vector(value);
    code.simd(SIMD.f64x2Add);
    code.set(sum);
  }

  /** Results of checks are accumulated, and examined before anything happens that a failed check should have prevented. */
  #check(condition: Expr): void {
    const { code } = this.#frame;
    if (this.#values.isSplat(condition)) {
      this.#prologue.check(condition);
      return;
    }
    if (this.#passes === null) this.#passes = this.#prologue.keep(V128);
    this.#values.mask(condition);
    if (this.#hasChecks) {
      code.get(this.#passes);
      code.simd(SIMD.and);
    }
    code.set(this.#passes);
    this.#hasChecks = true;
  }

  #lookAtChecks(): void {
    if (!this.#hasChecks || this.#passes === null) return;
    const { code } = this.#frame;
    code.get(this.#passes);
    code.simd(SIMD.i64x2Bitmask);
    code.i32(BOTH_LANES);
    code.op(OP.i32Ne);
    code.brIf(this.#leave);
    this.#hasChecks = false;
  }

  #store(ref: Ref, index: Expr, value: Expr, adjoint: boolean): void {
    const { code } = this.#frame;
    if (ref.element === 'real' && this.#analysis.strideOf(index).kind === 'unit') {
      const offset = this.#values.unitAddress(ref, index, adjoint, 0);
      this.#values.vector(value);
      code.simdMemory(SIMD.store, offset);
      return;
    }
    for (const lane of LANES) {
      const offset = this.#values.laneAddress(ref, index, adjoint, lane);
      this.#values.lane(value, lane);
      if (ref.element === 'int') code.memory(OP.i32Store, 2, offset);
      else code.memory(OP.f64Store, 3, offset);
    }
  }

  #addAdjoint(ref: Ref, index: Expr, value: Expr): void {
    const { code } = this.#frame;
    const stride = this.#analysis.strideOf(index).kind;
    if (stride === 'invariant') {
      const key = `${ref.id}:${this.#analysis.keyOf(index)}`;
      let sum = this.#adjointSums.get(key);
      if (sum === undefined) {
        sum = { ref, index, local: this.#prologue.zeroSum() };
        this.#adjointSums.set(key, sum);
      }
      this.#addTo(sum.local, value);
      return;
    }
    this.#lookAtChecks();
    const address = code.temporary(I32);
    if (stride === 'unit') {
      const offset = this.#values.unitAddress(ref, index, true, 0);
      code.tee(address);
      code.get(address);
      code.simdMemory(SIMD.load, offset);
      this.#values.vector(value);
      code.simd(SIMD.f64x2Add);
      code.simdMemory(SIMD.store, offset);
    } else {
      const values = code.temporary(V128);
      this.#values.vector(value);
      code.set(values);
      for (const lane of LANES) {
        const offset = this.#values.laneAddress(ref, index, true, lane);
        code.tee(address);
        code.get(address);
        code.memory(OP.f64Load, 3, offset);
        code.get(values);
        code.lane(SIMD.f64x2ExtractLane, lane);
        code.op(OP.f64Add);
        code.memory(OP.f64Store, 3, offset);
      }
      code.release(V128, values);
    }
    code.release(I32, address);
  }
}

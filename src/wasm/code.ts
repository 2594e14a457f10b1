import { append } from '../base/multimap.js';
import { ByteWriter } from './bytes.js';
import { F64, I32, MISC_PREFIX, NO_RESULT, OP, SIMD_PREFIX, V128, type ValueType } from './opcodes.js';

/** Limits that engines set for one function, whose locals include its parameters: https://www.w3.org/TR/wasm-js-api-2/#limits */
const MAX_LOCALS = 50_000;
const MAX_BYTES = 7_654_321;

/** Thrown if a part of a program exceeds the maximum size of a function. */
export class FunctionTooLarge extends Error {}

/** The body of one function while it is written: instructions, locals, and the nesting of its blocks. */
export class Code {
  /** Where instructions are currently written. */
  out = new ByteWriter(1024);
  readonly #parameters: readonly ValueType[];
  readonly #locals: ValueType[] = [];
  readonly #free = new Map<ValueType, number[]>();
  readonly #freeOfLoops = new Map<ValueType, number[]>();
  #depth = 0;

  constructor(parameters: readonly ValueType[]) {
    this.#parameters = parameters;
  }

  /** A fresh local, which is not reused within the function. */
  local(type: ValueType): number {
    this.#locals.push(type);
    return this.#parameters.length + this.#locals.length - 1;
  }

  /** A temporary local, valid until `release`. Its initial value is undefined. */
  temporary(type: ValueType): number {
    return this.#free.get(type)?.pop() ?? this.local(type);
  }

  release(type: ValueType, index: number): void {
    addFree(this.#free, type, index);
  }

  /** A local for an innermost loop, which is not shared with temporaries. `releaseOfLoop` releases it after the loop. */
  ofLoop(type: ValueType): number {
    return this.#freeOfLoops.get(type)?.pop() ?? this.local(type);
  }

  releaseOfLoop(type: ValueType, index: number): void {
    addFree(this.#freeOfLoops, type, index);
  }

  /** The number of open blocks. */
  get depth(): number {
    return this.#depth;
  }

  /** Runs `write` and adds its instructions to `out`, which will be inserted where `depth` blocks are open. */
  into(out: ByteWriter, depth: number, write: () => void): void {
    const outer = this.out;
    const outerDepth = this.#depth;
    this.out = out;
    this.#depth = depth;
    write();
    this.out = outer;
    this.#depth = outerDepth;
  }

  op(opcode: number): void {
    this.out.byte(opcode);
  }

  misc(opcode: number): void {
    this.out.byte(MISC_PREFIX);
    this.out.unsigned(opcode);
  }

  simd(opcode: number): void {
    this.out.byte(SIMD_PREFIX);
    this.out.unsigned(opcode);
  }

  lane(opcode: number, lane: number): void {
    this.simd(opcode);
    this.out.byte(lane);
  }

  get(local: number): void {
    this.out.byte(OP.localGet);
    this.out.unsigned(local);
  }

  set(local: number): void {
    this.out.byte(OP.localSet);
    this.out.unsigned(local);
  }

  tee(local: number): void {
    this.out.byte(OP.localTee);
    this.out.unsigned(local);
  }

  globalGet(global: number): void {
    this.out.byte(OP.globalGet);
    this.out.unsigned(global);
  }

  globalSet(global: number): void {
    this.out.byte(OP.globalSet);
    this.out.unsigned(global);
  }

  i32(value: number): void {
    this.out.byte(OP.i32Const);
    this.out.signed(value);
  }

  i64(value: number): void {
    this.out.byte(OP.i64Const);
    this.out.signed(value);
  }

  f64(value: number): void {
    this.out.byte(OP.f64Const);
    this.out.float64(value);
  }

  zero(type: ValueType): void {
    if (type === I32) this.i32(0);
    else if (type === F64) this.f64(0);
    else if (type === V128) {
      this.simd(0x0c);
      for (let i = 0; i < 16; i++) this.out.byte(0);
    } else this.i64(0);
  }

  /** A load or store of natural alignment. */
  memory(opcode: number, alignment: number, offset: number): void {
    this.out.byte(opcode);
    this.out.unsigned(alignment);
    this.out.unsigned(offset);
  }

  simdMemory(opcode: number, offset: number): void {
    this.simd(opcode);
    this.out.unsigned(3);
    this.out.unsigned(offset);
  }

  call(functionIndex: number): void {
    this.out.byte(OP.call);
    this.out.unsigned(functionIndex);
  }

  block(result: number = NO_RESULT): number {
    return this.#open(OP.block, result);
  }

  loop(): number {
    return this.#open(OP.loop, NO_RESULT);
  }

  if(result: number = NO_RESULT): number {
    return this.#open(OP.if, result);
  }

  else(): void {
    this.out.byte(OP.else);
  }

  end(): void {
    this.out.byte(OP.end);
    this.#depth--;
  }

  /** Leaves (block, if) or repeats (loop) the construct that `open` returned. */
  br(target: number): void {
    this.out.byte(OP.br);
    this.out.unsigned(this.#depth - target);
  }

  brIf(target: number): void {
    this.out.byte(OP.brIf);
    this.out.unsigned(this.#depth - target);
  }

  #open(opcode: number, result: number): number {
    this.out.byte(opcode);
    this.out.byte(result);
    this.#depth++;
    return this.#depth;
  }

  /** The entry of the code section without its size: locals, instructions, end. */
  finish(): ByteWriter {
    const body = new ByteWriter(this.out.length + 64);
    const runs: { count: number; readonly type: ValueType }[] = [];
    for (const type of this.#locals) {
      const last = runs.at(-1);
      if (last?.type === type) last.count++;
      else runs.push({ count: 1, type });
    }
    body.unsigned(runs.length);
    for (const { count, type } of runs) {
      body.unsigned(count);
      body.byte(type);
    }
    body.bytes(this.out.view());
    body.byte(OP.end);
    const locals = this.#parameters.length + this.#locals.length;
    if (locals > MAX_LOCALS) throw new FunctionTooLarge(`${locals} locals`);
    if (body.length > MAX_BYTES) throw new FunctionTooLarge(`${body.length} bytes`);
    return body;
  }
}

function addFree(free: Map<ValueType, number[]>, type: ValueType, index: number): void {
  append(free, type, index);
}

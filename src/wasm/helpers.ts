import { Code } from './code.js';
import type { Imports, Registers } from './context.js';
import type { ModuleWriter } from './module.js';
import { F64, I32, I64, MISC, OP, SIMD, V128, type ValueType } from './opcodes.js';

function define(
  writer: ModuleWriter,
  parameters: readonly ValueType[],
  results: readonly ValueType[],
  write: (code: Code) => void,
): number {
  const index = writer.declare({ parameters, results });
  const code = new Code(parameters);
  write(code);
  writer.define(index, code.finish());
  return index;
}

/** (bytes: f64, site) → address of fresh memory, a multiple of 16, taken from the arena. Accepts any number of bytes. */
export function defineTake(writer: ModuleWriter, registers: Registers, imports: Imports): number {
  return define(writer, [F64, I32], [I32], (code) => {
    const end = code.local(I64);
    code.globalGet(registers.top);
    code.globalGet(registers.top);
    code.op(OP.i64ExtendI32U);
    code.get(0);
    code.misc(MISC.i64TruncSatF64S);
    code.i64(15);
    code.op(OP.i64Add);
    code.i64(-16);
    code.op(OP.i64And);
    code.op(OP.i64Add);
    code.tee(end);
    code.globalGet(registers.limit);
    code.op(OP.i64ExtendI32U);
    code.op(OP.i64GtU);
    code.if();
    code.get(end);
    code.op(OP.f64ConvertI64U);
    code.i32(0);
    code.get(1);
    code.call(imports.reserve);
    code.globalSet(registers.limit);
    code.end();
    code.get(end);
    code.op(OP.i32WrapI64);
    code.globalSet(registers.top);
  });
}

/** Advances the address in local 0 to `end`; `store` writes `bytes` to the address on the stack. */
function upTo(code: Code, end: number, bytes: number, store: () => void): void {
  const block = code.block();
  const loop = code.loop();
  code.get(0);
  code.get(end);
  code.op(OP.i32GeU);
  code.brIf(block);
  code.get(0);
  store();
  code.get(0);
  code.i32(bytes);
  code.op(OP.i32Add);
  code.set(0);
  code.br(loop);
  code.end();
  code.end();
}

/** (address, bytes): stores zeros; `bytes` is a multiple of 16. `memory.fill` is a call out of the module, which is slow for short ranges. */
export function defineClear(writer: ModuleWriter): number {
  return define(writer, [I32, I32], [], (code) => {
    const end = code.local(I32);
    code.get(1);
    code.i32(2048);
    code.op(OP.i32GtU);
    code.if();
    code.get(0);
    code.i32(0);
    code.get(1);
    code.misc(MISC.memoryFill);
    code.op(0);
    code.op(OP.return);
    code.end();
    code.get(0);
    code.get(1);
    code.op(OP.i32Add);
    code.set(end);
    upTo(code, end, 16, () => {
      code.zero(V128);
      code.simdMemory(SIMD.store, 0);
    });
  });
}

/** (address, count, value) fills `count` elements. */
export function defineFill(writer: ModuleWriter, type: typeof I32 | typeof F64): number {
  const shift = type === I32 ? 2 : 3;
  return define(writer, [I32, I32, type], [], (code) => {
    const end = code.local(I32);
    code.get(0);
    code.get(1);
    code.i32(shift);
    code.op(OP.i32Shl);
    code.op(OP.i32Add);
    code.set(end);
    upTo(code, end, 1 << shift, () => {
      code.get(2);
      code.memory(type === I32 ? OP.i32Store : OP.f64Store, shift, 0);
    });
  });
}

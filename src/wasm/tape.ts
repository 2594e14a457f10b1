import type { Expr, Local, Ref } from '../ir/nodes.js';
import { passedTypes } from './context.js';
import type { ExpressionWriter } from './expressions.js';
import type { Frame } from './frame.js';
import { OP } from './opcodes.js';

/** Bytes that a scalar occupies on the tape. */
const SCALAR_BYTES = 8;

export function pushValue(frame: Frame, value: Expr, writer: ExpressionWriter): void {
  const { code } = frame;
  ensureTapeRoom(frame, SCALAR_BYTES);
  code.get(frame.tape);
  writer.write(value);
  if (value.type === 'int') code.memory(OP.i32Store, 2, 0);
  else code.memory(OP.f64Store, 3, 0);
  moveTape(frame, SCALAR_BYTES);
}

export function popLocal(frame: Frame, local: Local): void {
  const { code } = frame;
  moveTape(frame, -SCALAR_BYTES);
  code.get(frame.tape);
  if (local.type === 'int') code.memory(OP.i32Load, 2, 0);
  else code.memory(OP.f64Load, 3, 0);
  frame.write(frame.local(local));
}

/** Saves the pointer and the sizes of a container. */
export function pushRef(frame: Frame, ref: Ref): void {
  const { code } = frame;
  const { pointer, sizes } = frame.ref(ref);
  const places = [pointer, ...sizes];
  const bytes = tapeBytes(ref);
  ensureTapeRoom(frame, bytes);
  for (const [k, place] of places.entries()) {
    code.get(frame.tape);
    frame.read(place);
    code.memory(OP.i32Store, 2, 4 * k);
  }
  moveTape(frame, bytes);
}

export function popRef(frame: Frame, ref: Ref): void {
  const { code } = frame;
  const { pointer, sizes } = frame.ref(ref);
  moveTape(frame, -tapeBytes(ref));
  for (const [k, place] of [pointer, ...sizes].entries()) {
    code.get(frame.tape);
    code.memory(OP.i32Load, 2, 4 * k);
    frame.write(place);
  }
  frame.updateShadow(ref);
}

function ensureTapeRoom(frame: Frame, bytes: number): void {
  const { code, module, tape } = frame;
  code.get(tape);
  code.i32(bytes);
  code.op(OP.i32Add);
  code.globalGet(module.registers.end);
  code.op(OP.i32GtU);
  code.if();
  code.get(tape);
  code.i32(bytes);
  code.op(OP.i32Add);
  code.op(OP.f64ConvertI32U);
  code.i32(1);
  code.i32(-1);
  code.call(module.imports.reserve);
  code.globalSet(module.registers.end);
  code.end();
}

function moveTape(frame: Frame, bytes: number): void {
  const { code, tape } = frame;
  code.get(tape);
  code.i32(bytes);
  code.op(OP.i32Add);
  code.set(tape);
}

function tapeBytes(ref: Ref): number {
  return (passedTypes(ref).length * 4 + 7) & -8;
}

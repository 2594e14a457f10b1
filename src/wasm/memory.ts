import type { Expr, Ref, StatementOf } from '../ir/nodes.js';
import { shiftOf } from './context.js';
import type { ExpressionWriter } from './expressions.js';
import type { Frame } from './frame.js';
import { I32, MISC, OP } from './opcodes.js';

export function writeAllocate(frame: Frame, statement: StatementOf<'allocate'>, writer: ExpressionWriter): void {
  const { ref, sizes, fill } = statement;
  const { code, module } = frame;
  const place = frame.ref(ref);
  for (const [axis, size] of sizes.entries()) {
    writer.write(size);
    frame.write(place.sizes[axis]);
  }
  writeCount(frame, ref, sizes);
  code.f64(1 << shiftOf(ref.element));
  code.op(OP.f64Mul);
  code.i32(module.allocationSite(statement));
  code.call(module.helpers.take);
  frame.write(place.pointer);
  if (frame.hasShadow(ref)) {
    frame.updateShadow(ref);
    code.get(frame.shadow(ref));
    writeBytes(frame, ref, sizes);
    code.call(module.helpers.clear);
  }
  if (fill === 'none') return;
  frame.read(place.pointer);
  if (fill === 'zero') {
    writeBytes(frame, ref, sizes);
    code.call(module.helpers.clear);
    return;
  }
  writeCount(frame, ref, sizes);
  code.misc(MISC.i32TruncSatF64U);
  if (ref.element === 'int') {
    code.i32(-(2 ** 31));
    code.call(module.helpers.fillInt);
  } else {
    code.f64(Number.NaN);
    code.call(module.helpers.fillReal);
  }
}

/**
 * The number of elements as f64, in which a product of sizes never wraps and all sizes that fit in memory are exact. Sizes that are not
 * constants are stored in the ref's header.
 */
function writeCount(frame: Frame, ref: Ref, sizes: readonly Expr[]): void {
  const { code } = frame;
  const place = frame.ref(ref);
  code.f64(constantCount(sizes));
  for (const [axis, size] of sizes.entries()) {
    if (size.kind === 'const') continue;
    frame.read(place.sizes[axis]);
    code.op(OP.f64ConvertI32U);
    code.op(OP.f64Mul);
  }
}

/** The product of the sizes that are constants. */
function constantCount(sizes: readonly Expr[]): number {
  return sizes.reduce((product, size) => (size.kind === 'const' ? product * (size.value >>> 0) : product), 1);
}

/** The number of bytes allocated for the ref, a multiple of 16. */
function writeBytes(frame: Frame, ref: Ref, sizes: readonly Expr[]): void {
  const { code } = frame;
  const shift = shiftOf(ref.element);
  if (sizes.every((size) => size.kind === 'const')) {
    code.i32(((constantCount(sizes) << shift) + 15) & -16);
    return;
  }
  writeCount(frame, ref, sizes);
  code.misc(MISC.i32TruncSatF64U);
  code.i32(shift);
  code.op(OP.i32Shl);
  code.i32(15);
  code.op(OP.i32Add);
  code.i32(-16);
  code.op(OP.i32And);
}

export function writeView(frame: Frame, { ref, offset, sizes }: StatementOf<'view'>, writer: ExpressionWriter): void {
  if (ref.parent === null) throw new Error(`view ${ref.name} has no parent`);
  const place = frame.ref(ref);
  // Sizes and offset may read the view's previous header, so all are computed before any is written.
  for (const size of sizes) writer.write(size);
  frame.readAddress(ref.parent, false);
  if (offset.kind !== 'const' || offset.value !== 0) {
    writer.write(offset);
    frame.advance(ref.element);
  }
  frame.write(place.pointer);
  for (let axis = sizes.length - 1; axis >= 0; axis--) frame.write(place.sizes[axis]);
  frame.updateShadow(ref);
}

/** Frees the memory that is allocated inside. */
export function releasing(frame: Frame, write: () => void): void {
  const { code, module } = frame;
  const mark = code.temporary(I32);
  code.globalGet(module.registers.top);
  code.set(mark);
  write();
  code.get(mark);
  code.globalSet(module.registers.top);
  code.release(I32, mark);
}

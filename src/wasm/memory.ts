import type { Block, Expr, Ref, Statement, StatementOf } from '../ir/nodes.js';
import { shiftOf } from './context.js';
import type { ExpressionWriter } from './expressions.js';
import type { Frame } from './frame.js';
import { I32, MISC, OP, SIMD } from './opcodes.js';

/** Containers of more than this number of bytes have separate memory. */
const MOST_SHARED = 2048;
/** At most this number of bytes of adjoints are cleared by stores, without a call. */
const MOST_STORED = 128;

/** One range of memory for the containers of a block whose sizes are constants; those with adjoints come first. */
export interface SharedMemory {
  readonly offsets: ReadonlyMap<Statement, number>;
  readonly bytes: number;
  /** Bytes of the containers with adjoints. */
  readonly cleared: number;
  /** The statement that takes the memory: the first one of the block. */
  readonly first: StatementOf<'allocate'>;
  /** The local of the address. */
  readonly address: number;
}

/** The memory that containers of the block share; null if there are no such containers. */
export function sharedMemory(frame: Frame, block: Block): SharedMemory | null {
  const small = block.flatMap((statement) =>
    statement.kind === 'allocate' && statement.sizes.every(({ kind }) => kind === 'const') ? [statement] : [],
  );
  const allocations = small.filter((statement) => constantBytes(statement) <= MOST_SHARED);
  const [first] = allocations;
  if (first === undefined) return null;
  const offsets = new Map<Statement, number>();
  let bytes = 0;
  const place = (isCleared: boolean): number => {
    for (const statement of allocations) {
      if (frame.hasShadow(statement.ref) !== isCleared) continue;
      offsets.set(statement, bytes);
      bytes += constantBytes(statement);
    }
    return bytes;
  };
  const cleared = place(true);
  return { offsets, bytes: place(false), cleared, first, address: frame.code.local(I32) };
}

/** `shared`: of the statement's block. */
export function writeAllocate(
  frame: Frame,
  statement: StatementOf<'allocate'>,
  writer: ExpressionWriter,
  shared: SharedMemory | null,
): void {
  const { ref, sizes, fill } = statement;
  const { code, module } = frame;
  const place = frame.ref(ref);
  for (const [axis, size] of sizes.entries()) {
    writer.write(size);
    frame.write(place.sizes[axis]);
  }
  const offset = shared?.offsets.get(statement);
  if (shared !== null && offset !== undefined) {
    if (statement === shared.first) takeShared(frame, shared);
    code.get(shared.address);
    if (offset > 0) {
      code.i32(offset);
      code.op(OP.i32Add);
    }
    frame.write(place.pointer);
    frame.updateShadow(ref);
  } else {
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

/** Allocates the memory and clears its adjoints. Gradients call `take` only if the arena is full. */
function takeShared(frame: Frame, { address, bytes, cleared, first }: SharedMemory): void {
  const { code, module, purpose } = frame;
  const { limit, top } = module.registers;
  const take = (): void => {
    code.f64(bytes);
    code.i32(module.allocationSite(first));
    code.call(module.helpers.take);
    code.set(address);
  };
  if (!purpose.differentiates) {
    take();
    return;
  }
  const end = code.temporary(I32);
  code.globalGet(top);
  code.tee(address);
  code.i32(bytes);
  code.op(OP.i32Add);
  code.tee(end);
  // Memory ends a page before the last address, so the sum does not wrap.
  code.globalGet(limit);
  code.op(OP.i32GtU);
  code.if();
  take();
  code.else();
  code.get(end);
  code.globalSet(top);
  code.end();
  code.release(I32, end);
  if (cleared > 0) clearAdjoints(frame, address, cleared);
}

/** Clears `bytes`, a multiple of 16, of the adjoints of the address. */
function clearAdjoints(frame: Frame, address: number, bytes: number): void {
  const { code, distance } = frame;
  const at = code.temporary(I32);
  code.get(address);
  code.get(distance);
  code.op(OP.i32Add);
  code.set(at);
  if (bytes <= MOST_STORED) {
    for (let offset = 0; offset < bytes; offset += 16) {
      code.get(at);
      code.get(frame.zeros());
      code.simdMemory(SIMD.store, offset);
    }
  } else {
    code.get(at);
    code.i32(bytes);
    code.call(frame.module.helpers.clear);
  }
  code.release(I32, at);
}

/**
 * The number of elements as f64: in this type, products of sizes do not wrap, and all sizes that fit in memory are exact. Sizes that are
 * not constants are stored in the ref's header.
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

/** The number of bytes of a container whose sizes are constants, a multiple of 16; inexact above 2³¹. */
function constantBytes({ ref, sizes }: StatementOf<'allocate'>): number {
  const count = constantCount(sizes);
  return count > MOST_SHARED ? count : aligned(count, shiftOf(ref.element));
}

/** The bytes of elements, a multiple of 16. */
function aligned(count: number, shift: number): number {
  return ((count << shift) + 15) & -16;
}

/** The number of bytes allocated for the ref, a multiple of 16. */
function writeBytes(frame: Frame, ref: Ref, sizes: readonly Expr[]): void {
  const { code } = frame;
  const shift = shiftOf(ref.element);
  if (sizes.every((size) => size.kind === 'const')) {
    code.i32(aligned(constantCount(sizes), shift));
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
  // Sizes and offset may read the view's previous header, so all of them are computed before any is written.
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

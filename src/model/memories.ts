/**
 * Memories of instances. Each memory reserves ten gigabytes of address space, of which all threads of a page together have a terabyte, and
 * only the thread that created a memory can collect it. Therefore each thread reuses memories that its instances have released.
 */

/** Bytes of a page. */
export const PAGE = 65536;
/** Maximum pages of a memory. Addresses have 32 bits; one page is excluded so that the end of memory is also an address. */
export const MAXIMUM_PAGES = 65535;
/** Maximum number of memories that a thread keeps, and the maximum size of each in bytes. */
const MOST_KEPT = 2;
const MOST_BYTES = 1 << 22;

const kept: WebAssembly.Memory[] = [];

/** A zeroed memory with at least `pages` pages. Throws `RangeError` if address space or memory is exhausted. */
export function takeMemory(pages: number): WebAssembly.Memory {
  const memory = kept.pop();
  if (memory === undefined) return new WebAssembly.Memory({ initial: pages, maximum: MAXIMUM_PAGES });
  new Uint8Array(memory.buffer).fill(0);
  const missing = pages - memory.buffer.byteLength / PAGE;
  if (missing > 0) memory.grow(missing);
  return memory;
}

/** Keeps a memory for the next instance. The caller must not use it afterwards. */
export function leaveMemory(memory: WebAssembly.Memory): void {
  if (kept.length < MOST_KEPT && memory.buffer.byteLength <= MOST_BYTES) kept.push(memory);
}

/**
 * Memories of instances. Each one reserves ten gigabytes of addresses, of which all threads of a page have a terabyte, and only the thread
 * that made a memory can collect it. So a thread takes memories again that its instances no longer use.
 */

/** Bytes of a page. */
export const PAGE = 65536;
/** Maximum pages of a memory. Addresses have 32 bits; one page is excluded so that the end of memory is also an address. */
export const MAXIMUM_PAGES = 65535;
/** Number of memories that a thread keeps, and the most bytes of each. */
const MOST_KEPT = 2;
const MOST_BYTES = 1 << 22;

const kept: WebAssembly.Memory[] = [];

/** A memory of zeros with at least `pages` pages. Throws `RangeError` if addresses or memory are exhausted. */
export function takeMemory(pages: number): WebAssembly.Memory {
  const memory = kept.pop();
  if (memory === undefined) return new WebAssembly.Memory({ initial: pages, maximum: MAXIMUM_PAGES });
  new Uint8Array(memory.buffer).fill(0);
  const missing = pages - memory.buffer.byteLength / PAGE;
  if (missing > 0) memory.grow(missing);
  return memory;
}

/** Keeps a memory for the next instance. Nothing may use it afterwards. */
export function leaveMemory(memory: WebAssembly.Memory): void {
  if (kept.length < MOST_KEPT && memory.buffer.byteLength <= MOST_BYTES) kept.push(memory);
}

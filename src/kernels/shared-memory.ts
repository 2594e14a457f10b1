/** Modules whose instances run in a memory that several threads share. A module states in its import whether its memory is shared. */

/** Pages of a shared memory: the whole address space, of which the system allocates only the pages in use. */
export const SHARED_PAGES = 65535;

const IMPORTS = 2;
const SHARED_WITH_MAXIMUM = 3;
/** Codes of import types. */
const FUNCTION = 0;
const MEMORY = 2;
const GLOBAL = 3;

export function isShared(memory: WebAssembly.Memory): boolean {
  return typeof SharedArrayBuffer !== 'undefined' && memory.buffer instanceof SharedArrayBuffer;
}

/** A copy of the module that imports a shared memory of `SHARED_PAGES`. It must import only functions, globals and one memory. */
export function withSharedMemory(module: Uint8Array): Uint8Array<ArrayBuffer> {
  let at = 8;
  const unsigned = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = module[at++];
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  };
  const skipName = (): void => {
    const length = unsigned();
    at += length;
  };
  while (at < module.length) {
    const start = at;
    const id = module[at++];
    const size = unsigned();
    const content = at;
    if (id !== IMPORTS) {
      at = content + size;
      continue;
    }
    for (let count = unsigned(); count > 0; count--) {
      skipName();
      skipName();
      const kind = module[at++];
      if (kind === FUNCTION) unsigned();
      else if (kind === GLOBAL) at += 2;
      else if (kind === MEMORY) {
        const limits = at;
        const flags = unsigned();
        for (let sizes = (flags & 1) + 1; sizes > 0; sizes--) unsigned();
        const shared = [SHARED_WITH_MAXIMUM, ...leb(1), ...leb(SHARED_PAGES)];
        const length = size - (at - limits) + shared.length;
        return joined([
          module.subarray(0, start),
          Uint8Array.of(IMPORTS, ...leb(length)),
          module.subarray(content, limits),
          Uint8Array.from(shared),
          module.subarray(at),
        ]);
      } else throw new Error(`the module imports something of kind ${kind}`);
    }
  }
  throw new Error('the module imports no memory');
}

/** LEB128, unsigned. */
function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

/** Regions of a memory that instances on several threads share. */
import { SHARED_PAGES } from '../kernels/shared-memory.js';
import type { Artifact } from '../wasm/artifact.js';
import { PAGE } from './memories.js';

/** Number of units into which the addresses after the data are divided. */
const UNITS = 32;
/** Least bytes of a unit: with fewer, data are not shared. */
const LEAST_UNIT = 1 << 25;

/** Memory with data at its start, and its units after them. It survives structured cloning, so that threads share it. */
export interface SharedMemory {
  readonly memory: WebAssembly.Memory;
  /** Address of the first unit, and bytes of each. */
  readonly first: number;
  readonly unit: number;
  /** For each unit, 1 while it belongs to a region. Not in the memory itself, where code of a program could change it. */
  readonly taken: Int32Array;
}

/** A new memory with a copy of `bytes` from an address on; undefined if memory is not available, or if too little would remain for regions. */
export function shareMemory(bytes: Uint8Array, address: number): SharedMemory | undefined {
  if (typeof SharedArrayBuffer === 'undefined') return undefined;
  const first = PAGE * Math.ceil((address + bytes.length) / PAGE);
  const unit = PAGE * Math.floor((PAGE * SHARED_PAGES - first) / UNITS / PAGE);
  if (unit < LEAST_UNIT) return undefined;
  try {
    const memory = new WebAssembly.Memory({ initial: SHARED_PAGES, maximum: SHARED_PAGES, shared: true });
    new Uint8Array(memory.buffer).set(bytes, address);
    return { memory, first, unit, taken: new Int32Array(new SharedArrayBuffer(4 * UNITS)) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Memory of one instance: a unit, and as many of the following ones as it needs and are free. The first units are chosen far from each other, so that n
 * regions can extend to about one n-th of the memory each.
 */
export class Region {
  readonly memory: WebAssembly.Memory;
  readonly start: number;
  /** Bytes before the first region: those that all of them share. */
  readonly shared: number;
  readonly #taken: Int32Array;
  readonly #unit: number;
  readonly #index: number;
  #count = 1;

  /** Undefined if no unit is free. */
  static take(shared: SharedMemory): Region | undefined {
    for (let k = 0; k < UNITS; k++) {
      const index = reversed(k);
      if (Atomics.compareExchange(shared.taken, index, 0, 1) === 0) return new Region(shared, index);
    }
    return undefined;
  }

  private constructor({ first, memory, taken, unit }: SharedMemory, index: number) {
    this.memory = memory;
    this.shared = first;
    this.start = first + index * unit;
    this.#taken = taken;
    this.#unit = unit;
    this.#index = index;
  }

  /** End of its units. */
  get end(): number {
    return this.start + this.#count * this.#unit;
  }

  /** Extends it to at least `end`; false if a unit that it needs is not free. */
  extend(end: number): boolean {
    while (this.end < end) {
      const next = this.#index + this.#count;
      if (next >= UNITS || Atomics.compareExchange(this.#taken, next, 0, 1) !== 0) return false;
      this.#count++;
    }
    return true;
  }

  /** Lets others take its units. Nothing may use it afterwards. */
  release(): void {
    for (let k = 0; k < this.#count; k++) Atomics.store(this.#taken, this.#index + k, 0);
    this.#count = 0;
  }
}

/** The bits of an index below `UNITS` in reverse order. */
function reversed(index: number): number {
  let result = 0;
  for (let bit = 1; bit < UNITS; bit *= 2) result = 2 * result + ((index & bit) === 0 ? 0 : 1);
  return result;
}

/** The artifact of an instance whose control area is `distance` behind its usual address. */
export function movedBy(distance: number, artifact: Artifact): Artifact {
  const { calls, free, randomState, values, ...layout } = artifact.layout;
  return {
    ...artifact,
    outputs: artifact.outputs.map((output) => ({ ...output, sizes: output.sizes + distance })),
    layout: {
      ...layout,
      randomState: randomState + distance,
      values: values + distance,
      ...(calls && { calls: { ...calls, count: calls.count + distance, sites: calls.sites + distance } }),
      free: free + distance,
    },
  };
}

/** Regions of a memory that instances on several threads share. */
import { SHARED_PAGES } from '../kernels/shared-memory.js';
import type { Artifact } from '../wasm/artifact.js';
import { PAGE } from './memories.js';

/** Number of units into which the addresses after the data are divided. */
const UNITS = 32;
/** Minimum number of bytes of a unit. Data are not shared if units would be smaller. */
const LEAST_UNIT = 1 << 25;

/** A memory with data at its start, followed by units. It survives structured cloning, so that threads can share it. */
export interface SharedMemory {
  readonly memory: WebAssembly.Memory;
  /** Address of the first unit, and number of bytes per unit. */
  readonly first: number;
  readonly unit: number;
  /** For each unit, 1 while it belongs to a region. It is not in the memory itself, where code of a program could change it. */
  readonly taken: Int32Array;
}

/** A new memory with a copy of `bytes` at an address; undefined if no memory is available, or if too little would remain for regions. */
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
 * The memory of one instance: a unit, and the following units as needed, while they are free. First units are chosen far from each other,
 * so that each of n regions can grow to about one n-th of the memory.
 */
export class Region {
  readonly memory: WebAssembly.Memory;
  readonly start: number;
  /** Number of bytes before the first region, which all regions share. */
  readonly shared: number;
  readonly #taken: Int32Array;
  readonly #unit: number;
  readonly #index: number;
  #count = 1;

  /** Takes a free unit; undefined if none is free. */
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

  /** The end of the units of the region. */
  get end(): number {
    return this.start + this.#count * this.#unit;
  }

  /** Grows the region to at least `end`. Returns false if a required unit is not free. */
  extend(end: number): boolean {
    while (this.end < end) {
      const next = this.#index + this.#count;
      if (next >= UNITS || Atomics.compareExchange(this.#taken, next, 0, 1) !== 0) return false;
      this.#count++;
    }
    return true;
  }

  /** Releases the units. The region must not be used afterwards. */
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

/** The artifact for an instance whose control area is `distance` bytes after the default address. */
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

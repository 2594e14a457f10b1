/** Maximum fraction of occupied slots, so that few searches encounter a different pair. */
const MAX_LOAD = 0.5;

/** A map from pairs of 32-bit integers to numbers: a hash table with open addressing (Knuth 1973, section 6.4) in one typed array. */
export class PairTable {
  /** Per slot: a pair, and its number plus 1, or 0 if the slot is free. */
  #slots = new Int32Array(3 * 16);
  /** The number of slots minus 1. The number of slots is a power of 2. */
  #mask = 15;
  #size = 0;

  /** The number of the pair; a new pair gets `fresh`. */
  numberOf(first: number, second: number, fresh: number): number {
    let at = this.#find(first, second);
    if (this.#slots[at + 2] !== 0) return this.#slots[at + 2] - 1;
    if (this.#size + 1 > MAX_LOAD * this.#mask) {
      this.#grow();
      at = this.#find(first, second);
    }
    this.#put(at, first, second, fresh + 1);
    this.#size++;
    return fresh;
  }

  /** The position of the pair, or of a free slot for it. */
  #find(first: number, second: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    for (let k = (hash ^ (hash >>> 13)) & mask; ; k = (k + 1) & mask) {
      const at = 3 * k;
      if (slots[at + 2] === 0 || (slots[at] === first && slots[at + 1] === second)) return at;
    }
  }

  #put(at: number, first: number, second: number, mark: number): void {
    this.#slots[at] = first;
    this.#slots[at + 1] = second;
    this.#slots[at + 2] = mark;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(2 * old.length);
    this.#mask = 2 * this.#mask + 1;
    for (let k = 0; k < old.length; k += 3) {
      if (old[k + 2] !== 0) this.#put(this.#find(old[k], old[k + 1]), old[k], old[k + 1], old[k + 2]);
    }
  }
}

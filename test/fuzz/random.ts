import { Xoshiro128 } from '../../src/inference/random/xoshiro128.js';

/** Random choices that depend only on the seed. */
export class Random {
  readonly #bits: Xoshiro128;

  constructor(seed: number) {
    this.#bits = new Xoshiro128(seed, 0);
  }

  /** 0 … count - 1 */
  below(count: number): number {
    return Math.floor(((this.#bits.nextInt32() >>> 0) / 2 ** 32) * count);
  }

  chance(probability: number): boolean {
    return this.#bits.nextInt32() >>> 0 < probability * 2 ** 32;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  /** Picks an item by weight. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let rest = this.below(items.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, item] of items) {
      rest -= weight;
      if (rest < 0) return item;
    }
    return items[0][1];
  }

  /** Between `least` and `most` items, created in sequence. */
  several<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make);
  }

  /** A number in (-1, 1), rounded to two digits. */
  smallReal(): number {
    return (this.below(199) - 99) / 100;
  }
}

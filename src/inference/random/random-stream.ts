import { exponential, logarithm } from '../../base/elementary.js';
import type { Rng } from './rng.js';
import { Xoshiro128 } from './xoshiro128.js';

/** The stream of random numbers of one chain. On every machine, the same seed and chain yield the same numbers. */
export function createRng(seed: number, chain: number): Rng {
  return new RandomStream(new Xoshiro128(seed, chain));
}

/**
 * A uniform takes two 32-bit words, for 53 bits. Normals come from the ziggurat method of Marsaglia and Tsang (2000) in Doornik's form ("An
 * improved ziggurat method to generate normal random samples", 2005), whose layer is chosen by bits that the abscissa does not use; 98.8 %
 * of them cost one uniform and one multiplication.
 */
class RandomStream implements Rng {
  private readonly bits: Xoshiro128;

  constructor(bits: Xoshiro128) {
    this.bits = bits;
  }

  get state(): Int32Array {
    return this.bits.state;
  }

  uniform(): number {
    const high = this.bits.nextInt32() >>> 5;
    const low = this.bits.nextInt32() >>> 6;
    return (high * 2 ** 26 + low) * 2 ** -53;
  }

  normal(): number {
    for (;;) {
      const high = this.bits.nextInt32();
      const low = this.bits.nextInt32();
      const u = ((high >>> 5) * 2 ** 26 + (low >>> 6)) * 2 ** -52 - 1;
      const layer = ((high & 1) << 6) | (low & 63);
      if (Math.abs(u) < RATIOS[layer]) return u * EDGES[layer];
      if (layer === 0) return this.tail(u < 0);
      const x = u * EDGES[layer];
      const outer = exponential(-0.5 * (EDGES[layer] * EDGES[layer] - x * x));
      const inner = exponential(-0.5 * (EDGES[layer + 1] * EDGES[layer + 1] - x * x));
      if (inner + this.uniform() * (outer - inner) < 1) return x;
    }
  }

  /** Draws a normal beyond the outermost edge, by Marsaglia's exponential rejection (1964). */
  private tail(negative: boolean): number {
    for (;;) {
      const x = logarithm(1 - this.uniform()) / TAIL_START;
      const y = logarithm(1 - this.uniform());
      if (-2 * y >= x * x) return negative ? x - TAIL_START : TAIL_START - x;
    }
  }
}

/** 128 layers of equal area under exp(-x²/2), with the corresponding start of the tail and area. */
const LAYERS = 128;
const TAIL_START = 3.442619855899;
const LAYER_AREA = 9.91256303526217e-3;

/** Right edge of each layer, from the outside in. The first edge is that of a rectangle with the combined area of base and tail. */
const EDGES = layerEdges();
/** Fraction of a layer's width that is certainly under the curve. */
const RATIOS = Float64Array.from({ length: LAYERS }, (_, layer) => EDGES[layer + 1] / EDGES[layer]);

function layerEdges(): Float64Array {
  const edges = new Float64Array(LAYERS + 1);
  const density = (x: number) => exponential(-0.5 * x * x);
  edges[0] = LAYER_AREA / density(TAIL_START);
  edges[1] = TAIL_START;
  for (let layer = 2; layer < LAYERS; layer++) {
    const previous = edges[layer - 1];
    edges[layer] = Math.sqrt(-2 * logarithm(LAYER_AREA / previous + density(previous)));
  }
  return edges;
}

// Random bits, and the continuous variates from which all others are computed. Generator: xoshiro256++ (Blackman and Vigna, ACM TOMS 47,
// 2021), state of four u64, filled by SplitMix64 from (seed, chain), so that every pair has its own stream. The same seed and chain give
// the same draws on every machine.
import { exp } from '../elementary/exponential';
import { log } from '../elementary/logarithm';

@inline
function mix(z: u64): u64 {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/** Fills the 32 bytes at state. seed and chain are taken as unsigned. */
export function rng_seed(state: usize, seed: u32, chain: u32): void {
  let x = mix(((<u64>seed) << 32) | <u64>chain);
  for (let i = 0; i < 4; i++) {
    x += 0x9e3779b97f4a7c15;
    store<u64>(state + (i << 3), mix(x));
  }
}

@inline
export function nextBits(state: usize): u64 {
  const s0 = load<u64>(state);
  let s1 = load<u64>(state, 8);
  let s2 = load<u64>(state, 16);
  let s3 = load<u64>(state, 24);
  const result = rotl<u64>(s0 + s3, 23) + s0;
  const t = s1 << 17;
  s2 ^= s0;
  s3 ^= s1;
  s1 ^= s2;
  store<u64>(state, s0 ^ s3);
  store<u64>(state, s1, 8);
  store<u64>(state, s2 ^ t, 16);
  store<u64>(state, rotl<u64>(s3, 45), 24);
  return result;
}

/** Uniform on (0, 1): (k + ½)·2^-52, never 0 or 1. */
export function rng_uniform(state: usize): f64 {
  return (<f64>(nextBits(state) >> 12) + 0.5) * 2.220446049250313e-16;
}

// Ziggurat of 256 layers (Marsaglia and Tsang, J. Stat. Software 5, 2000; tail and layer count as in that paper), layer edges computed once
// when the module starts.
const LAYERS: i32 = 256;
const NORMAL_EDGE: f64 = 3.6541528853610088;
const NORMAL_AREA: f64 = 0.00492867323399;
const EDGES: usize = memory.data(2056, 16);

function density(x: f64): f64 {
  return exp(-0.5 * x * x);
}

function fillLayers(): void {
  let x = NORMAL_EDGE;
  store<f64>(EDGES, NORMAL_AREA / density(x));
  store<f64>(EDGES, x, 8);
  for (let i = 2; i < LAYERS; i++) {
    x = sqrt<f64>(-2.0 * log(NORMAL_AREA / x + density(x)));
    store<f64>(EDGES + (i << 3), x);
  }
  store<f64>(EDGES + (LAYERS << 3), 0.0);
}

fillLayers();

/** Standard normal. */
export function rng_normal(state: usize): f64 {
  while (true) {
    const bits = nextBits(state);
    const layer = EDGES + ((<usize>bits & 255) << 3);
    const u = <f64>(<i64>bits >> 11) * 2.220446049250313e-16;
    const edge = load<f64>(layer);
    const x = u * edge;
    const inner = load<f64>(layer, 8);
    if (abs<f64>(x) < inner) return x;
    if (layer == EDGES) {
      // beyond the last edge: Marsaglia's tail method
      let a: f64;
      let b: f64;
      do {
        a = -log(rng_uniform(state)) / NORMAL_EDGE;
        b = -log(rng_uniform(state));
      } while (b + b < a * a);
      return u < 0.0 ? -(NORMAL_EDGE + a) : NORMAL_EDGE + a;
    }
    const low = density(edge);
    const high = density(inner);
    if (low + rng_uniform(state) * (high - low) < density(x)) return x;
  }
}

/** Exponential of rate 1. */
export function rng_exponential(state: usize): f64 {
  return -log(rng_uniform(state));
}

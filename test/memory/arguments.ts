import type { Signature } from '../../src/language/signature.js';
import { rankOf, type Type, unwindArray } from '../../src/language/types.js';
import type { Random } from '../fuzz/random.js';
import { CANARIES, sizesOf } from './calls.js';

const EDGES = [0, -1, 1, 2147483647, -2147483648, 2147483646, -2147483647, 65536];
/** The work of these functions, or of a loop over their results, grows with a count, so they get only small and negative counts. */
const COUNTS = /^(beta_binomial|beta_neg_binomial|bessel_|lmgamma|rep_array)/;
const SMALL_EDGES = [0, -1, 1, -2147483648, -2147483647];

const SPECIAL = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -1, 1e308, -1e300, 5e-324, 1e-150];

/** Arrays with more dimensions have few elements in each. */
const MODERATE_RANK = 5;

type Elements = number | readonly Elements[];

/** The way in which the reals of one set of arguments are chosen. */
type Mood = 'inside' | 'mixed' | 'special';

/**
 * Data for `programOf(signature)` as JSON, without the canaries: sizes that mostly agree, including 0 and 1; ints that are indexes, counts
 * or limits of int; reals inside the domain of most functions or anywhere.
 */
export function argumentsOf({ name, parameters }: Signature, random: Random): string {
  const rank = Math.max(...parameters.map(({ type }) => rankOf(type)), 0);
  const largest = rank > MODERATE_RANK ? 2 : 4;
  const common = Math.min(random.pick([0, 1, 2, 2, 3, 3, 4]), largest);
  const agree = random.chance(0.7);
  const mood: Mood = random.weighted([
    [5, 'inside'],
    [3, 'mixed'],
    [2, 'special'],
  ]);
  const edges = random.chance(0.3);
  const members = parameters.flatMap(({ type }, k) => {
    const sizes = sizesOf(type, k).map(() => (agree ? common : random.below(largest + 1)));
    const scalar = (): number => (isInt(type) ? intOf(name, edges, random) : realOf(mood, random));
    const shape = isComplex(type) ? [...sizes, 2] : sizes;
    return [
      ...sizesOf(type, k).map((size, axis) => `"${size}": ${sizes[axis]}`),
      `"a${k}": ${text(structured(type, sizes, mood, random) ?? filled(shape, scalar))}`,
    ];
  });
  return members.join(', ');
}

/** All canaries as members of the data. */
export function canariesOf({ parameters }: Signature, value: number): string {
  const numbers = text(new Array<number>(CANARIES).fill(value));
  return Array.from({ length: parameters.length + 1 }, (_, k) => `"canary${k}": ${numbers}`).join(', ');
}

function isInt(type: Type): boolean {
  return unwindArray(type).element.kind === 'int';
}

function isComplex(type: Type): boolean {
  return unwindArray(type).element.kind.startsWith('complex');
}

function intOf(name: string, edges: boolean, random: Random): number {
  if (!edges || random.chance(0.4)) return random.below(5);
  return random.pick(COUNTS.test(name) ? SMALL_EDGES : EDGES);
}

function realOf(mood: Mood, random: Random): number {
  if (mood === 'inside' || (mood === 'mixed' && random.chance(0.7))) return (1 + random.below(98)) / 100;
  return mood === 'mixed' ? 3 * random.smallReal() : random.pick(SPECIAL);
}

/** A container of a form that functions require: a simplex, an ordered vector, or a matrix that is definite, triangular or stochastic. */
function structured(type: Type, sizes: readonly number[], mood: Mood, random: Random): Elements | null {
  if (mood !== 'inside' || type.kind === 'array') return null;
  const n = sizes[0];
  if (type.kind === 'vector') {
    const kind = random.below(4);
    if (kind === 0) return new Array<number>(n).fill(1 / n);
    if (kind === 1) return Array.from({ length: n }, (_, i) => 0.2 + i);
    return null;
  }
  if (type.kind !== 'matrix' || sizes[0] !== sizes[1]) return null;
  const kind = random.below(4);
  const entry = (i: number, j: number): number => {
    if (kind === 0) return i === j ? 2 : 0.25;
    if (kind === 1) return i === j ? 1 : i > j ? 0.25 : 0;
    if (kind === 2) return i === j ? 1 : 0;
    return 1 / n;
  };
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => entry(i, j)));
}

function filled(shape: readonly number[], scalar: () => number): Elements {
  if (shape.length === 0) return scalar();
  return Array.from({ length: shape[0] }, () => filled(shape.slice(1), scalar));
}

function text(elements: Elements): string {
  return typeof elements === 'number' ? String(elements) : `[${elements.map(text).join()}]`;
}

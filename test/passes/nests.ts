import { type Shape, times } from './shapes.js';

/*
 * Nested loops whose lengths the compiler does not know, in each part of a program. Their depth is the size of the program.
 */

/** The head of a loop on one level, with statements at the start of its body; and the number of braces that it opens. */
interface Level {
  /** Source before all loops. */
  readonly before?: (i: number) => string;
  readonly write: (i: number) => string;
  /** Source at the end of the body. */
  readonly after?: (i: number) => string;
  readonly braces?: number;
  /** The term that the innermost loop adds, at depth n. */
  readonly term?: (n: number) => string;
}

const LEVELS: Readonly<Record<string, Level>> = {
  'loops over a rectangle': { write: (i) => `for (i${i} in 1:N) {` },
  'loops whose lengths are data': { write: (i) => `for (i${i} in 1:${i === 0 ? 'N' : `M[i${i - 1}]`}) {` },
  'loops whose indexes are all read innermost': {
    write: (i) => `for (i${i} in 1:N) {`,
    term: (n) => `a * (${times(n, (i) => `i${i}`, ' + ')})`,
  },
  'loops over a triangle': { write: (i) => `for (i${i} in ${i === 0 ? '1' : `i${i - 1}`}:N) {` },
  'loops over elements': { write: (i) => `for (m${i} in M) {`, term: () => 'a * y[m0]' },
  'loops with a condition on data': { write: (i) => `for (i${i} in 1:N) { if (y[i${i}] > ${i}) {`, braces: 2 },
  'loops with a condition on a parameter': { write: (i) => `for (i${i} in 1:N) { if (y[i${i}] > a) {`, braces: 2 },
  'loops that are left': { write: (i) => `for (i${i} in 1:N) { if (y[i${i}] > ${i}) break;` },
  'while loops': {
    write: (i) => `int k${i} = 0; while (k${i} < N) { k${i} += 1;`,
    term: () => 'a * y[k0]',
  },
  'while loops whose counters are all read innermost': {
    write: (i) => `int k${i} = 0; while (k${i} < N) { k${i} += 1;`,
    term: (n) => `a * (${times(n, (i) => `k${i}`, ' + ')})`,
  },
  'while loops with all counters declared first': {
    before: (i) => `int k${i} = 0;`,
    write: (i) => `while (k${i} < N) {`,
    after: (i) => `k${i} += 1;`,
    term: (n) => `a * (${times(n, (i) => `k${i}`, ' + ')})`,
  },
  'while loops with copies that change': {
    write: (i) => `int k${i} = 0; int c${i} = N; while (k${i} < c${i}) { k${i} += 1; c${i} -= 1;`,
    term: () => 'a * y[k0]',
  },
  'loops with their own reals': {
    write: (i) => `for (i${i} in 1:N) { real x${i} = ${i === 0 ? 'a' : `x${i - 1}`} * y[i${i}];`,
    term: (n) => `x${n - 1}`,
  },
  'loops with their own reals, all read innermost': {
    write: (i) => `for (i${i} in 1:N) { real x${i} = a * y[i${i}];`,
    term: (n) => times(n, (i) => `x${i}`, ' + '),
  },
  'loops with their own vectors': {
    write: (i) =>
      `for (i${i} in 1:N) { vector[N] w${i} = ${i === 0 ? 'y' : `w${i - 1}`} * 2; w${i}[i${i}] = a * w${i}[1];`,
    term: (n) => `sum(w${n - 1})`,
  },
  'loops with terms on each level': { write: (i) => `for (i${i} in 1:N) { t += a * y[i${i}];` },
  'loops with a recurrence': { write: (i) => `for (i${i} in 1:N) { z = z * a + y[i${i}];`, term: () => 'z * y[i0]' },
};

const empty = (): string => '';

type Place = (body: string) => string;

const DATA = 'data { int N; vector[N] y; array[N] int M; }';

const PLACES: Readonly<Record<string, Place>> = {
  'in the model': (body) =>
    `${DATA} parameters { real a; } model { real t = 0; real z = a; ${body.replaceAll('t += ', 'target += ')} }`,
  'in transformed data': (body) =>
    `${DATA} transformed data { real t = 0; real a = 0.5; real z = a; ${body} } parameters { real b; } model { b ~ normal(t, 1); }`,
  'in generated quantities': (body) =>
    `${DATA} parameters { real a; } model { a ~ normal(0, 1); } generated quantities { real t = 0; real z = a; ${body} }`,
  'in a function': (body) =>
    `functions { real f(int N, array[] int M, vector y, real a) { real t = 0; real z = a; ${body} return t; } }
    ${DATA} parameters { real a; } model { target += f(N, M, y, a); }`,
  'in a function that calls itself': (body) =>
    `functions { real f(int N, array[] int M, vector y, real a) { real t = 0; real z = a; if (N > 0) t += f(N - 1, M, y, a); ${body} return t; } }
    ${DATA} parameters { real a; } model { target += f(N, M, y, a); }`,
};

/** The nests in one part of a program, `n` loops deep. */
export function nestsIn(place: keyof typeof PLACES): Readonly<Record<string, Shape>> {
  const shapes = Object.entries(LEVELS).map(
    ([name, { before = empty, write, after = empty, braces = 1, term = () => 'a * y[i0]' }]): [string, Shape] => [
      `${name} ${place}`,
      (n) => {
        const ends = times(n, (i) => `${after(n - 1 - i)} ${'}'.repeat(braces)}`);
        return PLACES[place](`${times(n, before)} ${times(n, write)} t += ${term(n)}; ${ends}`);
      },
    ],
  );
  return Object.fromEntries(shapes);
}

export const NESTS: Readonly<Record<string, Shape>> = Object.assign({}, ...Object.keys(PLACES).map(nestsIn));

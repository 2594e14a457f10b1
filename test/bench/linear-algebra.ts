import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CorpusModel } from './corpus.js';
import { compareGradients, type GradientRow } from './gradients.js';

interface Case {
  readonly name: string;
  readonly parameters: readonly ('matrix' | 'vector')[];
  /** Real expression of x, y, … */
  readonly value: string;
  readonly sizes: readonly number[];
  /** The required properties of x. */
  readonly first?: 'definite' | 'lower';
}

const SIZES = [10, 100, 500];

const CASES: readonly Case[] = [
  { name: 'multiply', parameters: ['matrix', 'matrix'], value: 'sum(x * y)', sizes: SIZES },
  { name: 'multiply vector', parameters: ['matrix', 'vector'], value: 'sum(x * y)', sizes: SIZES },
  { name: 'tcrossprod', parameters: ['matrix'], value: 'sum(tcrossprod(x))', sizes: SIZES },
  { name: 'quad_form', parameters: ['matrix', 'matrix'], value: 'sum(quad_form(x, y))', sizes: SIZES },
  { name: 'quad_form vector', parameters: ['matrix', 'vector'], value: 'quad_form(x, y)', sizes: SIZES },
  {
    name: 'cholesky_decompose',
    parameters: ['matrix'],
    value: 'sum(cholesky_decompose(x))',
    sizes: SIZES,
    first: 'definite',
  },
  {
    name: 'mdivide_left_tri_low',
    parameters: ['matrix', 'matrix'],
    value: 'sum(mdivide_left_tri_low(x, y))',
    sizes: SIZES,
    first: 'lower',
  },
  {
    name: 'mdivide_left_tri_low vector',
    parameters: ['matrix', 'vector'],
    value: 'sum(mdivide_left_tri_low(x, y))',
    sizes: SIZES,
    first: 'lower',
  },
  {
    name: 'mdivide_left_spd',
    parameters: ['matrix', 'vector'],
    value: 'sum(mdivide_left_spd(x, y))',
    sizes: SIZES,
    first: 'definite',
  },
  { name: 'mdivide_left', parameters: ['matrix', 'vector'], value: 'sum(mdivide_left(x, y))', sizes: SIZES },
  { name: 'inverse', parameters: ['matrix'], value: 'sum(inverse(x))', sizes: SIZES },
  { name: 'log_determinant', parameters: ['matrix'], value: 'log_determinant(x)', sizes: SIZES },
  {
    name: 'log_determinant_spd',
    parameters: ['matrix'],
    value: 'log_determinant_spd(x)',
    sizes: SIZES,
    first: 'definite',
  },
  {
    name: 'eigenvalues_sym',
    parameters: ['matrix'],
    value: 'sum(eigenvalues_sym(x))',
    sizes: SIZES,
    first: 'definite',
  },
  {
    name: 'eigenvectors_sym',
    parameters: ['matrix'],
    value: 'sum(eigenvectors_sym(x))',
    sizes: SIZES,
    first: 'definite',
  },
  { name: 'singular_values', parameters: ['matrix'], value: 'sum(singular_values(x))', sizes: [10, 100] },
  { name: 'qr_thin_Q', parameters: ['matrix'], value: 'sum(qr_thin_Q(x))', sizes: [10, 50] },
  { name: 'matrix_exp', parameters: ['matrix'], value: 'sum(matrix_exp(x))', sizes: [10, 50] },
];

/** Time per gradient of programs with one linear-algebra operation on parameters, compared with real Stan -O3. */
export function benchLinearAlgebra(_folder: string, only: RegExp, seconds: number): GradientRow[] {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-linear-algebra-'));
  const items = CASES.flatMap((item) => item.sizes.map((n) => modelOf(item, n, folder)));
  return compareGradients(
    items.filter(({ name }) => only.test(name)),
    seconds,
  );
}

function modelOf({ name, parameters, value, first }: Case, n: number, folder: string): CorpusModel {
  const title = `${name}, n = ${n}`;
  const declared = parameters.map((kind, k) => `  ${kind}${kind === 'matrix' ? '[n, n]' : '[n]'} ${'xyz'[k]};`);
  const text = `data {\n  int n;\n}\nparameters {\n${declared.join('\n')}\n}\nmodel {\n  target += ${value};\n}\n`;
  const dataText = JSON.stringify({ n });
  const at = (ending: string): string => join(folder, title.replaceAll(/\W+/g, '-') + ending);
  writeFileSync(at('.stan'), text);
  writeFileSync(at('.json'), dataText);
  const next = numbers(n);
  const point = parameters.flatMap((kind, k) =>
    kind === 'vector' ? Array.from({ length: n }, next) : matrix(n, next, k === 0 ? first : undefined),
  );
  return { name: title, program: at('.stan'), text, data: at('.json'), dataText, points: [point], recorded: {} };
}

/** A column-major, well-conditioned matrix. */
function matrix(n: number, next: () => number, kind: Case['first']): number[] {
  const values = Array.from({ length: n * n }, () => next() / Math.sqrt(n));
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < j; i++) {
      if (kind === 'lower') values[j * n + i] = 0;
      if (kind === 'definite') values[j * n + i] = values[i * n + j];
    }
    values[j * n + j] += 2;
  }
  return values;
}

/** Numbers in (-1, 1) from a linear congruential generator. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (2 * state) / 2 ** 32 - 1;
  };
}

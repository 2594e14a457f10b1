import fc from 'fast-check';
import type { Scope } from './scope.js';

/** Writes a part of a program. In scopes with the same visible names, it always writes the same source. */
export type Write<S = Scope> = (scope: S) => string;

export function pick(names: readonly string[], choice: number, otherwise: string): string {
  return names.length === 0 ? otherwise : names[choice % names.length];
}

/** The parts of a template are written in order: `text(scope => …)` of constant pieces and parts. */
export function write<S = Scope>(strings: TemplateStringsArray, ...parts: readonly (Write<S> | string)[]): Write<S> {
  return (scope) =>
    strings.reduce((text, piece, k) => {
      const part = parts[k - 1];
      return text + (typeof part === 'string' ? part : part(scope)) + piece;
    });
}

export const choice = fc.nat({ max: 11 });

export const index: fc.Arbitrary<Write> = fc.oneof(
  fc.integer({ min: 1, max: 4 }).map((i) => () => String(i)),
  choice.map(
    (c) =>
      ({ names }: Scope) =>
        pick(names.indexes, c, '2'),
  ),
  fc.tuple(choice, choice).map(([c, d]) => ({ names }: Scope) => {
    return `1 + (${pick(names.indexes, c, '1')} + ${pick(names.counters, d, '3')}) % 4`;
  }),
  choice.map(
    (c) =>
      ({ names }: Scope) =>
        `order[${pick(names.indexes, c, '3')}]`,
  ),
);

const pairName =
  (c: number): Write =>
  ({ names }) =>
    pick(names.pairs, c, '(0.3, weights)');
const complexName =
  (c: number): Write =>
  ({ names }) =>
    pick(names.complexes, c, 'to_complex(0.3, -0.8)');

const call = (kind: 'real' | 'vector' | 'pair', c: number, otherwise: string, a: Write, b: Write): Write => {
  return (scope) => `${pick(scope.functions[kind], c, otherwise)}(${a(scope)}, ${b(scope)}, 2)`;
};

export const { real, vector, complex, pair, condition } = fc.letrec<{
  real: Write;
  vector: Write;
  complex: Write;
  pair: Write;
  condition: Write;
}>((tie) => {
  const r = tie('real');
  const v = tie('vector');
  const z = tie('complex');
  return {
    real: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 4, depthIdentifier: 'expression' },
      choice.map(
        (c) =>
          ({ names }: Scope) =>
            pick(names.reals, c, '0.4'),
      ),
      fc.constantFrom('0.3', '1.2', '-0.7', '2').map((text) => () => text),
      fc.tuple(choice, index).map(
        ([c, i]) =>
          (scope: Scope) =>
            `${pick(scope.names.vectors, c, 'weights')}[${i(scope)}]`,
      ),
      index.map((i) => write`weights[${i}]`),
      fc.tuple(r, fc.constantFrom('+', '-', '*'), r).map(([a, op, b]) => write`(${a} ${op} ${b})`),
      fc
        .tuple(fc.constantFrom('tanh', 'sin', 'inv_logit', 'log1p_exp', 'square'), r)
        .map(([f, a]) => write`${f}(${a})`),
      r.map((a) => write`exp(-square(${a}))`),
      r.map((a) => write`sqrt(1.1 + sin(${a}))`),
      fc.tuple(r, r).map(([a, b]) => write`(${a} / (1 + square(${b})))`),
      fc.tuple(r, r).map(([a, b]) => write`((1.5 + tanh(${a})) ^ tanh(${b}))`),
      fc.tuple(r, r).map(([a, b]) => write`log_sum_exp(${a}, ${b})`),
      fc.tuple(tie('condition'), r, r).map(([c, a, b]) => write`(${c} ? ${a} : ${b})`),
      fc.tuple(v, v).map(([a, b]) => write`dot_product(${a}, ${b})`),
      v.map((a) => write`sum(${a})`),
      fc.tuple(choice, r, v).map(([c, a, b]) => call('real', c, 'plain', a, b)),
      z.map((a) => write`get_real(${a})`),
      z.map((a) => write`get_imag(${a})`),
      z.map((a) => write`norm(${a})`),
      choice.map((c) => write`${pairName(c)}.1`),
      fc.tuple(choice, index).map(([c, i]) => (scope: Scope) => {
        return scope.names.tables.length === 0 ? '0.6' : `${pick(scope.names.tables, c, '')}[${i(scope)}].1`;
      }),
    ),
    vector: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 4, depthIdentifier: 'expression' },
      choice.map(
        (c) =>
          ({ names }: Scope) =>
            pick(names.vectors, c, 'weights'),
      ),
      fc.tuple(v, fc.constantFrom('+', '-', '.*'), v).map(([a, op, b]) => write`(${a} ${op} ${b})`),
      fc.tuple(v, fc.constantFrom('+', '*'), r).map(([a, op, b]) => write`(${a} ${op} ${b})`),
      fc.tuple(fc.constantFrom('tanh', 'sin', 'reverse', 'softmax'), v).map(([f, a]) => write`${f}(${a})`),
      v.map((a) => write`(${a}[order])`),
      fc.tuple(v, v).map(([a, b]) => write`append_row(head(${a}, 2), tail(${b}, 2))`),
      fc.tuple(v, v).map(([a, b]) => write`(${a} ./ (1 + square(${b})))`),
      v.map((a) => write`(mixing * ${a})`),
      v.map((a) => write`cumulative_sum(0.3 * ${a})`),
      fc.tuple(choice, r, v).map(([c, a, b]) => call('vector', c, 'shifted', a, b)),
      fc.tuple(v, z).map(([a, b]) => write`get_imag(${a} * ${b})`),
      choice.map((c) => write`${pairName(c)}.2`),
      fc.tuple(choice, index).map(([c, i]) => (scope: Scope) => {
        return scope.names.tables.length === 0 ? 'weights' : `${pick(scope.names.tables, c, '')}[${i(scope)}].2`;
      }),
    ),
    complex: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 4, depthIdentifier: 'expression' },
      choice.map(complexName),
      fc.tuple(r, r).map(([a, b]) => write`to_complex(tanh(${a}), sin(${b}))`),
      fc.tuple(z, fc.constantFrom('+', '-', '*'), z).map(([a, op, b]) => write`(${a} ${op} ${b})`),
      fc.tuple(z, r).map(([a, b]) => write`(${b} * conj(${a}))`),
      fc.tuple(z, z).map(([a, b]) => write`(${a} / (to_complex(1 + norm(${b}), get_imag(${b}))))`),
      z.map((a) => write`sqrt(3 + ${a} / (1 + norm(${a})))`),
      z.map((a) => write`exp(${a} / (1 + norm(${a})))`),
    ),
    pair: fc.oneof(
      choice.map(pairName),
      fc.tuple(r, v).map(([a, b]) => write`(tanh(${a}), sin(${b}))`),
      fc.tuple(choice, r, v).map(([c, a, b]) => call('pair', c, 'paired', a, b)),
    ),
    condition: fc.oneof(
      fc.tuple(index, fc.constantFrom('==', '<', '>='), index).map(([a, op, b]) => write`${a} ${op} ${b}`),
      r.map((a) => write`${a} > 0.21`),
      fc.tuple(r, r).map(([a, b]) => write`${a} < ${b}`),
      fc.tuple(index, index, r).map(([a, b, c]) => write`${a} == ${b} || ${c} > 0.33`),
    ),
  };
});

/** A value for an assignment, within a few units of zero. */
export const bounded: fc.Arbitrary<Write> = fc.oneof(
  real.map((a) => write`tanh(${a})`),
  real.map((a) => write`sin(${a})`),
  choice.map(
    (c) =>
      ({ names }: Scope) =>
        pick(names.reals, c, '0.4'),
  ),
);

export const boundedVector: fc.Arbitrary<Write> = fc.oneof(
  vector.map((a) => write`tanh(${a})`),
  vector.map((a) => write`sin(${a})`),
  choice.map(
    (c) =>
      ({ names }: Scope) =>
        pick(names.vectors, c, 'weights'),
  ),
);

export const boundedComplex: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(bounded, bounded).map(([a, b]) => write`to_complex(${a}, ${b})`),
  complex.map((a) => (scope: Scope) => {
    const text = a(scope);
    return `${text} / (1 + norm(${text}))`;
  }),
  choice.map(complexName),
);

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isCompiled } from '../../src/compile.js';
import { buildModel } from '../conformance/engine.js';
import { verifyStages } from '../support/verify-stages.js';
import { checkGradientOf } from './agreement.js';
import { pick, type Write, write } from './random-expressions.js';
import { indent } from './random-statements.js';

/*
 * Random Stan programs with loops over data that are too long to be unrolled: nests of up to three loops whose bounds are constants, data
 * or outer indexes, conditions on any index and on data, locals that branches compute, arrays that one loop fills and a later one reads,
 * and functions with such loops. Precomputation on data, splitting and grouping of iterations, loop-invariant code motion and vectorization
 * apply to these.
 */

interface Scope {
  readonly reals: readonly string[];
  readonly written: readonly string[];
  /** Vectors of 12 elements that are assigned to. */
  readonly vectors: readonly string[];
  /** Ints in 1 … 12. */
  readonly indexes: readonly string[];
  /** Nonnegative ints that are assigned to. */
  readonly counters: readonly string[];
  /** Loops around the statement. */
  readonly depth: number;
  readonly functions: readonly string[];
  readonly fresh: (prefix: string) => string;
}

type Text = Write<Scope>;

const DEEPEST = 3;

const DATA = {
  N: 12,
  x: [0.31, -0.82, 1.13, 0.24, -0.47, 0.66, -1.05, 0.98, 0.07, -0.29, 0.53, -0.71],
  w: [1.2, 0.4, -0.6, 0.9, 0.15, -1.1, 0.7, -0.35, 0.55, 0.85, -0.2, 0.3],
  first: [1, 4, 2, 9, 3, 12, 7, 5, 11, 6, 10, 8],
  count: [0, 12, 3, 1, 11, 0, 9, 2, 10, 4, 12, 5],
  flag: [0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1],
  M: Array.from({ length: 12 }, (_, i) => Array.from({ length: 12 }, (__, j) => Math.sin(3 * i + 7 * j))),
};

const DECLARATIONS = `int N;
vector[N] x;
array[N] real w;
array[N] int first;
array[N] int count;
array[N] int flag;
matrix[N, N] M;`;

const PARAMETERS = 'int N, vector x, array[] real w, array[] int first, array[] int count, array[] int flag, matrix M';
const ARGUMENTS = 'N, x, w, first, count, flag, M';

const choice = fc.nat({ max: 11 });

const name = (list: (scope: Scope) => readonly string[], otherwise: string): fc.Arbitrary<Text> =>
  choice.map((c) => (scope: Scope) => pick(list(scope), c, otherwise));

const loopIndex = name(({ indexes }) => indexes, '5');

const index: fc.Arbitrary<Text> = fc.oneof(
  { arbitrary: loopIndex, weight: 6 },
  { arbitrary: fc.integer({ min: 1, max: 12 }).map((i) => () => String(i)), weight: 1 },
  { arbitrary: loopIndex.map((i) => write`first[${i}]`), weight: 2 },
  { arbitrary: loopIndex.map((i) => write`(N + 1 - ${i})`), weight: 1 },
  {
    arbitrary: fc.tuple(loopIndex, loopIndex).map(([i, j]) => write`(1 + (${i} + 2 * ${j}) % N)`),
    weight: 1,
  },
  { arbitrary: fc.tuple(loopIndex, loopIndex).map(([i, j]) => write`min(${i}, ${j})`), weight: 1 },
  {
    arbitrary: name(({ counters }) => counters, '3').map((c) => write`(1 + ${c} % 12)`),
    weight: 1,
  },
);

/** Depends only on data unless a local in it depends on parameters. */
const fromData: fc.Arbitrary<Text> = fc.oneof(
  index.map((i) => write`x[${i}]`),
  index.map((i) => write`w[${i}]`),
  fc.tuple(index, index).map(([i, j]) => write`M[${i}, ${j}]`),
  index.map((i) => write`0.1 * ${i}`),
  index.map((i) => write`exp(-square(x[${i}]))`),
  fc.tuple(index, index).map(([i, j]) => write`log1p(square(x[${i}] - w[${j}]))`),
  index.map((i) => write`lgamma(count[${i}] + 1.5)`),
);

const { real, condition } = fc.letrec<{ real: Text; condition: Text }>((tie) => {
  const r = tie('real');
  return {
    real: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 3, depthIdentifier: 'value' },
      { arbitrary: fromData, weight: 4 },
      { arbitrary: name(({ reals }) => reals, 'a'), weight: 3 },
      { arbitrary: index.map((i) => write`p[1 + ${i} % 4]`), weight: 1 },
      {
        arbitrary: fc.tuple(choice, index).map(([c, i]) => (scope: Scope) => {
          return `${pick(scope.vectors, c, 'x')}[${i(scope)}]`;
        }),
        weight: 3,
      },
      {
        arbitrary: fc.tuple(r, fc.constantFrom('+', '-', '*'), r).map(([a, op, b]) => write`(${a} ${op} ${b})`),
        weight: 4,
      },
      {
        arbitrary: fc
          .tuple(fc.constantFrom('tanh', 'sin', 'inv_logit', 'log1p_exp', 'Phi'), r)
          .map(([f, a]) => write`${f}(${a})`),
        weight: 2,
      },
      { arbitrary: r.map((a) => write`exp(-square(${a}))`), weight: 1 },
      { arbitrary: fc.tuple(r, r).map(([a, b]) => write`(${a} / (1 + square(${b})))`), weight: 1 },
      { arbitrary: fc.tuple(tie('condition'), r, r).map(([c, a, b]) => write`(${c} ? ${a} : ${b})`), weight: 1 },
      { arbitrary: index.map((i) => write`lgamma(count[${i}] + 1 + square(b))`), weight: 1 },
      {
        arbitrary: fc.tuple(choice, r).map(([c, a]) => (scope: Scope) => {
          const called = pick(scope.functions, c, '');
          const text = a(scope);
          // Each call has its own loop nest.
          return called === '' || scope.depth > 1 ? `tanh(${text})` : `${called}(${ARGUMENTS}, ${text}, b, p)`;
        }),
        weight: 1,
      },
    ),
    condition: fc.oneof(
      {
        arbitrary: fc
          .tuple(loopIndex, fc.constantFrom('>', '<', '>=', '==', '!='), index)
          .map(([i, op, j]) => write`${i} ${op} ${j}`),
        weight: 5,
      },
      { arbitrary: index.map((i) => write`flag[${i}] == 1`), weight: 2 },
      {
        arbitrary: fc.tuple(index, fc.integer({ min: 0, max: 2 })).map(([i, k]) => write`${i} % 3 == ${String(k)}`),
        weight: 2,
      },
      { arbitrary: fc.tuple(index, index).map(([i, j]) => write`x[${i}] < w[${j}]`), weight: 2 },
      { arbitrary: r.map((a) => write`${a} > 0.21`), weight: 1 },
      {
        arbitrary: fc
          .tuple(index, fc.constantFrom('&&', '||'), index)
          .map(([i, op, j]) => write`(flag[${i}] == 0 ${op} ${j} > 4)`),
        weight: 1,
      },
    ),
  };
});

/** A value within a few units of zero. */
const bounded: fc.Arbitrary<Text> = fc.oneof(
  fromData,
  real.map((a) => write`tanh(${a})`),
  real.map((a) => write`sin(${a})`),
);

/** The first and the last iteration of a loop; in a nest, they may depend on an outer index, and the loop may be empty. */
const range: fc.Arbitrary<Text> = fc.oneof(
  { arbitrary: fc.constantFrom('1:N', '1:12', '2:N', '1:10', '3:11').map((text) => () => text), weight: 6 },
  { arbitrary: loopIndex.map((i) => write`1:count[${i}]`), weight: 2 },
  { arbitrary: loopIndex.map((i) => write`${i}:N`), weight: 1 },
  { arbitrary: loopIndex.map((i) => write`(${i} + 1):N`), weight: 1 },
  { arbitrary: loopIndex.map((i) => write`1:(${i} - 1)`), weight: 1 },
  { arbitrary: fc.tuple(loopIndex, index).map(([i, j]) => write`first[${i}]:${j}`), weight: 1 },
);

/** Writes statements whose declarations are visible in the statements after them. */
type Statement = (scope: Scope) => { readonly text: string; readonly scope: Scope };

const plain =
  (text: Text): Statement =>
  (scope) => ({ text: text(scope), scope });

function sequence(statements: readonly Statement[], outer: Scope): string {
  let scope = outer;
  const texts: string[] = [];
  for (const statement of statements) {
    const next = statement(scope);
    texts.push(next.text);
    scope = next.scope;
  }
  return texts.join('\n');
}

const block = (statements: readonly Statement[], scope: Scope): string =>
  `{\n${indent(sequence(statements, scope))}\n}`;

function loop(range: Text, outer: Scope, body: (scope: Scope, index: string) => string): string {
  const i = outer.fresh('i');
  const inside = { ...outer, indexes: [...outer.indexes, i], depth: outer.depth + 1 };
  return `for (${i} in ${range(outer)}) {\n${indent(body(inside, i))}\n}`;
}

/** A local, computed by one expression or by the branches of a condition. */
const local: fc.Arbitrary<Statement> = fc
  .tuple(bounded, fc.option(fc.tuple(condition, bounded, fc.boolean())))
  .map(([value, branch]) => (scope: Scope) => {
    const s = scope.fresh('s');
    const first = `real ${s} = ${value(scope)};`;
    const visible = { ...scope, reals: [...scope.reals, s], written: [...scope.written, s] };
    if (branch === null) return { text: first, scope: visible };
    const [c, other, both] = branch;
    const text = both
      ? `real ${s};\nif (${c(scope)}) ${s} = ${value(scope)};\nelse ${s} = ${other(scope)};`
      : `${first}\nif (${c(scope)}) {\n  ${s} = ${other(scope)};\n}`;
    return { text, scope: visible };
  });

/** A vector of which a loop fills all elements, or those that satisfy a condition. */
const filled: fc.Arbitrary<Statement> = fc
  .tuple(bounded, fc.option(condition), fc.constantFrom('x', 'to_vector(w)', 'rep_vector(a, 12)', "M[3]'"))
  .map(([value, c, start]) => (scope: Scope) => {
    const v = scope.fresh('v');
    const loopText = loop(
      () => '1:N',
      scope,
      (inside, i) => `${c === null ? '' : `if (${c(inside)}) `}${v}[${i}] = ${value(inside)};`,
    );
    const declared = c === null ? `vector[N] ${v};` : `vector[N] ${v} = ${start};`;
    return { text: `${declared}\n${loopText}`, scope: { ...scope, vectors: [...scope.vectors, v] } };
  });

const counter: fc.Arbitrary<Statement> = fc.tuple(index, condition).map(([i, c]) => (scope: Scope) => {
  const k = scope.fresh('k');
  const text = `int ${k} = ${i(scope)};\nif (${c(scope)}) ${k} += 2;`;
  return { text, scope: { ...scope, counters: [...scope.counters, k] } };
});

const simple: fc.Arbitrary<Statement> = fc.oneof(
  { arbitrary: real.map((value) => plain(write`target += ${value};`)), weight: 5 },
  {
    arbitrary: fc.tuple(index, real).map(([i, mean]) => plain(write`target += normal_lpdf(x[${i}] | ${mean}, 1.3);`)),
    weight: 1,
  },
  { arbitrary: local, weight: 3 },
  { arbitrary: counter, weight: 1 },
  {
    arbitrary: fc.tuple(choice, fc.constantFrom('=', '+='), bounded).map(([c, op, value]) =>
      plain((scope) => {
        const text = value(scope);
        return `${pick(scope.written, c, 'r')} ${op === '=' ? '=' : '+= 0.1 *'} ${text};`;
      }),
    ),
    weight: 3,
  },
  {
    arbitrary: fc.tuple(choice, index, bounded).map(([c, i, value]) =>
      plain((scope) => {
        const vector = pick(scope.vectors, c, '');
        return vector === '' ? `r = ${value(scope)};` : `${vector}[${i(scope)}] = ${value(scope)};`;
      }),
    ),
    weight: 2,
  },
  {
    arbitrary: fc
      .tuple(choice, index)
      .map(([c, i]) =>
        plain((scope) => (scope.counters.length === 0 ? '' : `${pick(scope.counters, c, '')} += ${i(scope)};`)),
      ),
    weight: 1,
  },
  {
    arbitrary: fc
      .tuple(condition, fc.constantFrom('break', 'continue'))
      .map(([c, jump]) => plain((scope) => (scope.depth === 0 ? '' : `if (${c(scope)}) ${jump};`))),
    weight: 1,
  },
);

const { statement } = fc.letrec<{ statement: Statement }>((tie) => {
  const body = fc.array(tie('statement'), { minLength: 1, maxLength: 3, depthIdentifier: 'nest' });
  return {
    statement: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true, maxDepth: 5, depthIdentifier: 'nest' },
      { arbitrary: simple, weight: 6 },
      {
        arbitrary: filled.map(
          (fill): Statement =>
            (scope) =>
              scope.depth < 2 ? fill(scope) : { text: '', scope },
        ),
        weight: 2,
      },
      {
        arbitrary: fc.tuple(condition, body, fc.option(body)).map(([c, then, otherwise]) =>
          plain((scope) => {
            const head = `if (${c(scope)}) ${block(then, scope)}`;
            return otherwise === null ? head : `${head} else ${block(otherwise, scope)}`;
          }),
        ),
        weight: 4,
      },
      {
        arbitrary: fc.tuple(range, body).map(([bounds, inner]) =>
          plain((scope) => {
            if (scope.depth === DEEPEST) return block(inner, scope);
            return loop(bounds, scope, (inside) => sequence(inner, inside));
          }),
        ),
        weight: 6,
      },
    ),
  };
});

function writeProgram(
  definition: readonly Statement[] | null,
  inTransformedData: readonly Statement[] | null,
  statements: readonly Statement[],
): string {
  let next = 1;
  const start: Scope = {
    reals: ['a', 'b', 'r'],
    written: ['r'],
    vectors: [],
    indexes: [],
    counters: [],
    depth: 0,
    functions: [],
    fresh: (prefix) => `${prefix}${next++}`,
  };
  const asFunction =
    definition === null
      ? ''
      : `real f_lp(${PARAMETERS}, real a, real b, vector p) {
  real r = 0.2;
${indent(sequence(definition, start))}
  return tanh(r);
}`;
  const ofData =
    inTransformedData === null
      ? ''
      : `real d = 0.5;
{
  real a = 0.3;
  real b = -0.2;
  real r = 0.1;
  vector[4] p = [0.1, -0.4, 0.8, 0.2]';
${indent(sequence(inTransformedData, start)).replaceAll(/target \+=/g, 'r = 0.5 * r + 0.01 *')}
  d = tanh(r);
}`;
  const functions = definition === null ? [] : ['f_lp'];
  const reals = inTransformedData === null ? start.reals : [...start.reals, 'd'];
  return `functions {
${indent(asFunction)}
}
data {
${indent(DECLARATIONS)}
}
transformed data {
${indent(ofData)}
}
parameters {
  real a;
  real b;
  vector[4] p;
}
model {
  real r = b;
${indent(sequence(statements, { ...start, reals, functions }))}
  target += sin(r) - 0.5 * (square(a) + square(b) + dot_self(p));
}
`;
}

const statements = fc.array(statement, { minLength: 2, maxLength: 5 });

export const randomLongLoops: fc.Arbitrary<string> = fc
  .tuple(
    fc.option(fc.array(statement, { minLength: 1, maxLength: 2 }), { freq: 2 }),
    fc.option(fc.array(statement, { minLength: 1, maxLength: 2 }), { freq: 2 }),
    statements,
  )
  .map(([definition, inTransformedData, body]) => writeProgram(definition, inTransformedData, body));

/**
 * Checks that the IR of such a program is well formed after every pass, that its value is that of the unoptimized program, and that its
 * gradient agrees with differences.
 */
export function checkLongLoops(program: string): void {
  const data = JSON.stringify(DATA);
  const compiled = verifyStages(program);
  assert.ok(isCompiled(compiled), isCompiled(compiled) ? '' : `${program}\n${JSON.stringify(compiled.diagnostics)}`);
  checkGradientOf(buildModel(compiled, data));
}

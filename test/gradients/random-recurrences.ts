import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type CompileOptions, isCompiled } from '../../src/compile.js';
import type { Model } from '../../src/model/model.js';
import { buildModel } from '../conformance/engine.js';
import { verifyStages } from '../support/verify-stages.js';
import { indent } from './random-statements.js';

/*
 * Random Stan programs with recurrences over the rows of data: up to four scalars that each iteration computes from those of the previous
 * one, in straight lines, branches on data or on the scalars, and short inner loops.
 */

const STATES = ['s1', 's2', 's3', 's4'];

const state = fc.constantFrom(...STATES);

const leaf = fc.oneof(
  { arbitrary: state, weight: 4 },
  { arbitrary: fc.constantFrom('a', 'b', 'c[1]', 'c[2]'), weight: 3 },
  { arbitrary: fc.constantFrom('y[n]', 'y[max(n - 1, 1)]', '0.1 * count', 'local', '0.7'), weight: 3 },
);

/** An expression whose value is within a few units of zero if those of its leaves are. */
const { value } = fc.letrec<{ value: string }>((tie) => {
  const inner = tie('value');
  return {
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 3, depthIdentifier: 'value' },
      leaf,
      fc.tuple(inner, inner).map(([x, z]) => `(${x} + a * ${z})`),
      fc.tuple(inner, inner).map(([x, z]) => `(${x} - ${z})`),
      inner.map((x) => `sqrt(1 + square(${x}))`),
      fc.tuple(inner, inner).map(([x, z]) => `(${x} / (1 + square(${z})))`),
      fc.tuple(inner, inner).map(([x, z]) => `(flag[n] == 1 ? ${x} : ${z})`),
      fc.tuple(inner, inner, inner).map(([w, x, z]) => `(${w} > 0.3 ? ${x} : ${z})`),
      fc.tuple(inner, inner).map(([x, z]) => `fmin(${x}, 2 * ${z})`),
      // Rare, because recurrences with kernel calls have no checkpoints.
      fc.tuple(inner, fc.nat({ max: 9 })).map(([x, k]) => (k === 9 ? `tanh(${x})` : `0.5 * ${x}`)),
    ),
  };
});

const bounded = value.map((x) => `${x} / (1 + abs(${x}))`);

const { statement } = fc.letrec<{ statement: string }>((tie) => {
  const body = fc.array(tie('statement'), { minLength: 1, maxLength: 2 }).map((inner) => indent(inner.join('\n')));
  return {
    statement: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 2, depthIdentifier: 'statement' },
      { arbitrary: fc.tuple(state, bounded).map(([s, x]) => `${s} = 0.6 * ${s} + ${x};`), weight: 4 },
      { arbitrary: fc.tuple(state, bounded).map(([s, x]) => `${s} = ${x};`), weight: 2 },
      { arbitrary: bounded.map((x) => `local = ${x};`), weight: 1 },
      { arbitrary: fc.constantFrom('count += flag[n];', 'count = (count + n) % 7;'), weight: 1 },
      {
        arbitrary: fc.tuple(state, state).map(([s, t]) => `y[n] ~ normal(${s}, 1 + square(${t}));`),
        weight: 2,
      },
      { arbitrary: value.map((x) => `target += 0.01 * ${x};`), weight: 2 },
      { arbitrary: value.map((x) => `target += 1e-3 * log1p(square(${x}));`), weight: 1 },
      { arbitrary: value.map((x) => `if (n % 20000 == 7) print(n, " ", ${x});`), weight: 1 },
      {
        arbitrary: fc
          .tuple(fc.constantFrom('flag[n] == 1', 's1 > 0.2', 'n % 3 == 1', 'count > 3'), body, fc.option(body))
          .map(([c, then, otherwise]) => {
            const head = `if (${c}) {\n${then}\n}`;
            return otherwise === null ? head : `${head} else {\n${otherwise}\n}`;
          }),
        weight: 2,
      },
      {
        arbitrary: fc
          .tuple(fc.constantFrom('3', 'flag[n]', '9'), state, bounded)
          .map(([k, s, x]) => `for (k in 1:${k}) ${s} = 0.3 * ${s} + 0.1 * k * ${x};`),
        weight: 1,
      },
    ),
  };
});

const loop = fc
  .tuple(fc.constantFrom('1:N', '2:N', '1:(N - 5)'), fc.array(statement, { minLength: 1, maxLength: 4 }))
  .map(
    ([range, statements]) => `for (n in ${range}) {\n  real local = 0.5 * y[n];\n${indent(statements.join('\n'))}\n}`,
  );

/** Numbers of rows around those at which another block starts. */
export const randomRecurrences = fc.record({
  program: fc.array(loop, { minLength: 1, maxLength: 2 }).map(
    (loops) => `data {
  int N;
  vector[N] y;
  array[N] int flag;
}
parameters {
  real a;
  real<lower=0> b;
  vector[2] c;
}
model {
  real s1 = a;
  real s2 = 0.5;
  real s3 = c[1];
  real s4 = 0;
  int count = 2;
  c ~ std_normal();
${indent(loops.join('\n'))}
  target += 0.1 * (s1 + s2 - s3 * s4) - square(a) - b + 0.01 * count;
}
`,
  ),
  rows: fc.oneof(
    fc.constantFrom(0, 1, 2, 100, 32767, 32768, 32769, 34815, 34816, 34817),
    fc.integer({ min: 3, max: 50_000 }),
  ),
});

type Recurrences = typeof randomRecurrences extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Checks that values, gradients, second derivatives and output are bit-identical to those without checkpoints. Returns whether the program
 * has checkpoints.
 */
export function checkRecurrences({ program, rows }: Recurrences): boolean {
  const data = JSON.stringify({
    N: rows,
    y: Array.from({ length: rows }, (_, n) => Math.sin(1.7 * n) + 0.3 * Math.cos(n * n)),
    flag: Array.from({ length: rows }, (_, n) => (Math.sin(5 * n) > 0.1 ? 1 : 0)),
  });
  const build = (options: CompileOptions): { readonly wasm: Uint8Array; readonly evaluated: readonly unknown[] } => {
    const compiled = verifyStages(program, { ...options, secondDerivatives: true });
    assert.ok(isCompiled(compiled), isCompiled(compiled) ? '' : `${program}\n${JSON.stringify(compiled.diagnostics)}`);
    const printed: string[] = [];
    const model = buildModel(compiled, data, 1, (text) => printed.push(text));
    return { wasm: compiled.wasm, evaluated: [evaluate(model), printed] };
  };
  const blocked = build({});
  const plain = build({ without: ['checkpointLoops'] });
  assert.deepEqual(blocked.evaluated, plain.evaluated, program);
  return Buffer.compare(blocked.wasm, plain.wasm) !== 0;
}

const FORM = { propto: false, jacobian: true };

function evaluate(model: Model): readonly number[] {
  const { dimension } = model;
  return [0.1, -0.4].flatMap((start) => {
    const position = Float64Array.from({ length: dimension }, (_, i) => start + 0.2 * Math.sin(i));
    const gradient = new Float64Array(dimension);
    const hessian = new Float64Array(dimension * dimension);
    const value = model.logDensityGradient(position, gradient, FORM);
    model.hessian(position, hessian, FORM);
    return [value, model.logDensity(position, FORM), ...gradient, ...hessian];
  });
}

import { compile, isCompiled } from '../../src/compile.js';
import { ModelError, Rejection } from '../../src/model/errors.js';
import { instantiate, type Model } from '../../src/model/model.js';
import { Random } from '../fuzz/random.js';
import { ALL, FORM, KERNELS, LINEAR } from './models.js';

const DATA = {
  N: 5,
  M: 3,
  zero: 0,
  last: 2147483647,
  k: 2,
  x: [1, 2, 3, 4, 5],
  m: [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ],
  idx: [1, 3, 2],
};
const HEAD = `data { int N; int<lower=1> M; int zero; int last; int<lower=1, upper=N> k; vector[N] x; matrix[M, M] m; array[M] int<lower=1, upper=M> idx; }
parameters { real a; }`;

/** Offsets of indexes: small ones, and offsets with which a sum exceeds 32 bits. */
const OFFSETS = [
  '1',
  '2',
  '-1',
  '2147483647',
  '-2147483647',
  '2147483646',
  '(-2147483647 - 1)',
  '2147483640',
  'zero',
  'k',
  'N',
];
const BOUNDS = ['1', 'N', 'M', 'k', 'N - 1', 'N + 1', '2', '0', '-1', 'zero', '2147483646', '-2147483647', 'M - N'];

interface Scope {
  readonly random: Random;
  readonly indexes: readonly string[];
}

function index({ random, indexes }: Scope): string {
  const base = random.pick([...indexes, ...indexes, 'k', '1', 'N', 'idx[1]']);
  return random.chance(0.45) ? base : `${base} ${random.pick(['+', '-'])} ${random.pick(OFFSETS)}`;
}

function element(scope: Scope): string {
  const { random } = scope;
  const at = (): string => index(scope);
  return random.pick([
    () => `x[${at()}]`,
    () => `y[${at()}]`,
    () => `m[${at()}, ${at()}]`,
    () => `x[idx[${at()}]]`,
    () => `sum(x[${at()}:${at()}])`,
    () => `sum(y[:${at()}])`,
    () => `sum(m[${at()}:, ${at()}])`,
    () => `sum(m[idx, ${at()}])`,
    () => `sum(to_vector(m[idx, ${at()}:${at()}]))`,
    () => `sum(segment(x, ${at()}, ${at()}))`,
    () => `sum(head(y, ${at()}))`,
    () => `exp(0.1 * x[${at()}])`,
  ])();
}

function statement(scope: Scope, depth: number): string {
  const { random } = scope;
  const at = (): string => index(scope);
  const inner = (): string => statement({ random, indexes: [...scope.indexes, `i${depth}`] }, depth - 1);
  const simple = [
    () => `target += a * ${element(scope)};`,
    () => `y[${at()}] = a * ${element(scope)};`,
    () => `w[${at()}, ${at()}] = ${element(scope)};`,
    () => `y[${at()}:${at()}] = x[${at()}:${at()}] * a;`,
    () => `w[idx, ${at()}] = a * m[idx, ${at()}];`,
    () => `target += a * ${element(scope)} - square(a) * ${element(scope)};`,
  ];
  if (depth === 0 || random.chance(0.25)) return random.pick(simple)();
  const bound = (): string => random.pick([...BOUNDS, ...scope.indexes]);
  return random.pick([
    () =>
      `for (i${depth} in ${random.pick(['1', '2', 'k', bound()])}:${random.pick(['N', 'M', bound()])}) { steps += 1; if (steps > 60) break; ${inner()} }`,
    () => `for (i${depth} in 1:N) ${inner()}`,
    () => `for (i${depth} in 1:M) { ${inner()} ${inner()} }`,
    () => `for (i${depth} in k:${random.pick(['N', 'M', 'N - 1'])}) { ${inner()} }`,
    () =>
      `for (i${depth} in ${random.pick(['2147483640', '2147483600', 'last - 7'])}:${random.pick(['2147483647', 'last', 'most'])}) if (i${depth} > ${random.pick(['2147483646', 'last - 2'])}) target += a * x[i${depth} ${random.pick(['+ 1', '+ 2', '+ k', '- 2147483646', '- 2147483642', '+ 2147483647'])}];`,
    () => `for (i${depth} in 2147483640:2147483646) { if (steps > 3) break; steps += 1; ${inner()} }`,
    () =>
      `{ int i${depth} = ${random.pick(BOUNDS)}; while (i${depth} <= N && steps < 40) { steps += 1; ${inner()} i${depth} += 1; } }`,
    () => `if (${at()} > ${at()}) { ${statement(scope, depth - 1)} } else { ${statement(scope, depth - 1)} }`,
  ])();
}

/** A program of loops, slices and multi-indexes whose indexes are mostly in range and sometimes near the limits of int. */
export function loopProgram(seed: number): string {
  const random = new Random(seed);
  const body = random.several(1, 3, () => statement({ random, indexes: ['k'] }, 1 + random.below(2))).join(' ');
  const block = `int steps = 0; int most = 2147483647; vector[N] y = a * x; matrix[M, M] w = a * m; ${body}`;
  return `${HEAD}
model { ${block} target += a * sum(y) + sum(w); }
generated quantities { vector[N] z; { ${block.replace(/target \+= ([^;]*);/g, 'steps += 0 * to_int($1 > 0);').replace(/to_int\(([^;]*) > 0\)/g, '(($1) > 0)')} z = y; } }
`;
}

function outcomesOf(model: Model): string[] {
  const gradient = new Float64Array(model.dimension);
  const out = new Float64Array(model.constrainedNames(ALL).length);
  return [0.5, -1.25].flatMap((start) => {
    const position = new Float64Array(model.dimension).fill(start);
    return [
      () => [model.logDensityGradient(position, gradient, FORM), ...gradient],
      () => [model.logDensity(position, FORM)],
      () => {
        model.writeArray(position, out, ALL);
        return [...out];
      },
    ].map((run) =>
      told(() =>
        run()
          .map((number) => number.toPrecision(12))
          .join(),
      ),
    );
  });
}

function told(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (error instanceof Rejection || error instanceof ModelError) return error.message;
    throw error;
  }
}

/** The differences between the optimized program and the one that keeps every check; counts evaluations of both. */
export function compareLoops(first: number, count: number): { evaluations: number; findings: string[] } {
  const findings: string[] = [];
  let evaluations = 0;
  for (let seed = first; seed < first + count; seed++) {
    const program = loopProgram(seed);
    const [optimized, checked] = [false, true].map((keepsChecks) => {
      const compiled = compile(program, KERNELS, { keepsChecks });
      if (!isCompiled(compiled)) throw new Error(`${program}${compiled.text}`);
      const module = new WebAssembly.Module(compiled.wasm);
      return outcomesOf(instantiate(compiled.artifact, module, LINEAR, DATA, { seed: 1, print: () => {} }));
    });
    evaluations += optimized.length + checked.length;
    for (const [k, outcome] of optimized.entries()) {
      if (outcome !== checked[k] || /memory access|unreachable/.test(outcome)) {
        findings.push(`${seed}, ${k}: ${outcome} where all checks are kept: ${checked[k]}\n${program}`);
        break;
      }
    }
  }
  return { evaluations, findings };
}

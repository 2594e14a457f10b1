import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isCompiled } from '../../src/compile.js';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { verifyStages } from '../support/verify-stages.js';
import { checkGradientOf, checkHessian, checkSame } from './agreement.js';
import { bounded, boundedVector, real, type Write } from './random-expressions.js';
import { indent, sequence, statement } from './random-statements.js';
import { type Returned, Scope } from './scope.js';

/**
 * Random Stan programs for the gradient: nested control flow around scalars, vectors, complex numbers and tuples that are overwritten
 * repeatedly, and user functions with early returns and recursion, some of which add to `target`. Assigned values stay within a few units
 * of zero, and everything is smooth except for the conditions, so that central differences are accurate.
 */
export interface RandomProgram {
  readonly program: string;
  /** The same program with unrolled loops, and a separate function for each depth of a recursion. */
  readonly unrolled: string;
}

interface FunctionParts {
  readonly returns: Returned;
  readonly recursive: boolean;
  readonly body: readonly Write[];
  readonly lastReal: Write;
  readonly lastVector: Write;
  readonly step: Write;
}

const functionParts: fc.Arbitrary<FunctionParts> = fc.record({
  returns: fc.constantFrom<Returned[]>('real', 'vector', 'pair', 'nothing', 'count'),
  recursive: fc.boolean(),
  body: fc.array(statement, { maxLength: 4 }),
  lastReal: bounded,
  lastVector: boundedVector,
  step: bounded,
});

const TYPES: Readonly<Record<Returned, string>> = {
  real: 'real',
  vector: 'vector',
  pair: 'tuple(real, vector)',
  nothing: 'void',
  count: 'int',
};

const GLOBALS = `array[4] int order = {3, 1, 4, 2};
vector[4] weights = [0.3, -0.8, 1.1, 0.2]';
matrix[4, 4] mixing = 0.2 + diag_matrix(weights);`;

/** Writes a function. In an unrolled program, a recursive function becomes several functions, whose last argument has no effect. */
function writeFunction(parts: FunctionParts, outer: Scope): string {
  const { returns } = parts;
  const name = outer.fresh(returns.slice(0, 1));
  const suffix = returns === 'nothing' || returns === 'count' ? '_lp' : '';
  const depths = outer.isUnrolled && parts.recursive ? [0, 1, 2] : [null];
  const texts = depths.map((depth) => {
    const own = depth === null || depth === 2 ? name : `${name}_${depth}`;
    const again = depth === null ? name : `${name}_${depth - 1}`;
    return writeDefinition(own + suffix, again + suffix, depth, parts, outer);
  });
  outer.functions[returns].push(name + suffix);
  return texts.join('\n');
}

function writeDefinition(
  name: string,
  again: string,
  depth: number | null,
  parts: FunctionParts,
  outer: Scope,
): string {
  const { returns, recursive } = parts;
  const scope = outer.body(returns);
  const [p, u, n, k] = [scope.fresh('p'), scope.fresh('u'), scope.fresh('n'), scope.fresh('k')];
  const head = `${TYPES[returns]} ${name}(real ${p}, vector ${u}, int ${n})`;
  const base = {
    real: `return sin(${p}) + ${u}[3];`,
    vector: `return ${u} * ${p};`,
    pair: `return (${p} * ${u}[2], sin(${u}));`,
    nothing: `target += sin(${p}) * ${u}[3];`,
    count: `${u} ~ normal(${p}, 2);\nreturn 1;`,
  }[returns];
  if (depth === 0) return `${head} {\n${indent(base)}\n}`;

  scope.names.reals.push(p);
  scope.names.vectors.push(u);
  scope.names.counters.push(k);
  const lines = [GLOBALS, `int ${k} = ${depth ?? n};`];
  if (recursive && depth === null) {
    lines.push(`if (${n} <= 0) {\n${indent(returns === 'nothing' ? `${base}\nreturn;` : base)}\n}`);
  }
  lines.push(sequence(parts.body, scope));
  const call = `${again}(${parts.step(scope)}, ${u}, ${n} - 1)`;
  const last = (returns === 'vector' ? parts.lastVector : parts.lastReal)(scope);
  if (returns === 'nothing') {
    lines.push(`target += ${last};`);
    if (recursive) lines.push(`${call};`);
  } else if (returns === 'count') {
    lines.push(`target += ${last};`, `return ${recursive ? call : k} + 1;`);
  } else if (returns === 'pair') {
    const result = scope.fresh('t');
    const both = recursive ? call : `(${u}[1], ${u})`;
    lines.push(`tuple(real, vector[4]) ${result} = ${both};`);
    lines.push(`return (${last} + 0.5 * ${result}.1, ${parts.lastVector(scope)} - 0.5 * ${result}.2);`);
  } else lines.push(`return ${last}${recursive ? ` + 0.5 * ${call}` : ''};`);
  return `${head} {\n${indent(lines.join('\n'))}\n}`;
}

function writeProgram(
  isUnrolled: boolean,
  functions: readonly FunctionParts[],
  statements: readonly Write[],
  last: Write,
): string {
  const scope = Scope.start(isUnrolled);
  const definitions = functions.map((parts) => indent(writeFunction(parts, scope)));
  const { names } = scope;
  names.reals.push('a', 'b', 'c', 'r', 'q');
  names.writable.push('r', 'q');
  names.vectors.push('x', 'y', 'z');
  names.writableVectors.push('y', 'z');
  names.counters.push('k');
  names.complexes.push('v', 'h');
  names.writableComplexes.push('h');
  names.pairs.push('both', 'other');
  names.writablePairs.push('both', 'other');
  return `functions {
  real plain(real s, vector v, int n) { return s * v[n]; }
  vector shifted(real s, vector v, int n) { return v + s * n; }
  tuple(real, vector) paired(real s, vector v, int n) { return (tanh(v[n] * s), sin(v * s)); }
${definitions.join('\n')}
}
transformed data {
${indent(GLOBALS)}
}
parameters {
  real a;
  real b;
  real<lower=-2, upper=1> c;
  vector[4] x;
  complex v;
}
model {
  real r = a;
  real q = 0.5;
  vector[4] y = x * b;
  vector[4] z = weights;
  complex h = v * 0.5i;
  tuple(real, vector[4]) both = (b, z);
  tuple(real, vector[4]) other = both;
  int k = 1;
${indent(sequence(statements, scope))}
  target += ${last(scope)} - square(r) - dot_self(y) + sum(z) * q + get_imag(h * h) + both.1 * sum(other.2);
}
`;
}

/** Programs without data. */
export const randomProgram: fc.Arbitrary<RandomProgram> = fc
  .tuple(fc.array(functionParts, { maxLength: 2 }), fc.array(statement, { minLength: 1, maxLength: 6 }), real)
  .map(([functions, statements, last]) => ({
    program: writeProgram(false, functions, statements, last),
    unrolled: writeProgram(true, functions, statements, last),
  }));

/**
 * Requirements on every random program: its IR is well formed after every pass, and its gradient agrees with differences and with that of
 * the unrolled program.
 */
export function checkProgram({ program, unrolled }: RandomProgram): void {
  const compiled = verifyStages(program);
  assert.ok(isCompiled(compiled), program);
  const model = buildModel(compiled, '{}');
  checkGradientOf(model);
  const twice = verifyStages(program, { secondDerivatives: true });
  assert.ok(isCompiled(twice), program);
  checkHessian(twice);
  checkSame(model, buildModel(compileProgram(unrolled), '{}'));
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lowerText } from '../../test/support/lowered.js';
import { FunctionTable } from '../functions/table.js';
import type { IrProgram } from '../ir/nodes.js';
import { printBlock } from '../ir/print.js';
import { verify, verifyFunction } from '../ir/verify.js';

function lowered(text: string): IrProgram {
  const result = lowerText(text);
  assert.ok('program' in result);
  const { program } = result;
  for (const block of ['prepare', 'logDensity', 'generate', 'unconstrain'] as const) {
    verify(program[block], { functions: program.functions });
  }
  for (const f of program.functions) verifyFunction(f, program.functions);
  return program;
}

function lines(text: string): string[] {
  return text.trim().split('\n');
}

function logDensity(text: string): string[] {
  return lines(printBlock(lowered(text).logDensity));
}

describe('parameters', () => {
  it('are views of the position if they are not transformed', () => {
    assert.deepEqual(logDensity('parameters { real a; vector[3] b; }'), [
      'a = position[0]',
      'view position.2[3] = position from 1',
    ]);
  });

  it('with bounds become one loop for values and Jacobian', () => {
    assert.deepEqual(logDensity('parameters { vector<lower=0>[3] b; }'), [
      'allocate real b[3]',
      'for i in 0 .. 3 {',
      '  x = position[i]',
      '  target += x (jacobian)',
      '  b[i] = exp(x)',
      '}',
    ]);
  });

  it('with an offset that is not finite are rejected', () => {
    const text = logDensity('data { real m; } parameters { real<offset=m> a; }').join('\n');
    assert.match(text, /offset_multiplier_constrain: offset is \{0\}, but must be finite!/);
  });

  it('have as many unconstrained values as their transform needs', () => {
    const { outputs } = lowered('parameters { simplex[4] s; sum_to_zero_matrix[3, 4] Z; array[2] unit_vector[3] u; }');
    const free = outputs.map(({ unconstrainedSizes }) =>
      unconstrainedSizes.map((size) => (size.kind === 'const' ? size.value : null)),
    );
    assert.deepEqual(free, [[3], [2, 3], [2, 3]]);
  });
});

describe('data', () => {
  it('are checked in the order of declaration: sizes, then values', () => {
    const text = printBlock(lowered('data { int<lower=1> N; vector<upper=2>[N] y; }').prepare);
    const order = ['N is {0}, but must be greater', 'mismatch in dimension', 'y[{0}] is {1}, but must be less'];
    const places = order.map((words) => text.indexOf(words));
    assert.ok(
      places.every((place, i) => place >= 0 && (i === 0 || place > places[i - 1])),
      text,
    );
  });

  it('reject negative sizes', () => {
    const text = printBlock(lowered('data { int N; int M; vector[N + M] y; }').prepare);
    assert.match(text, /variable=y; dimension size expression=N \+ M; expression value=\{0\}/);
  });
});

describe('index checks', () => {
  const within = (model: string): string =>
    logDensity(`data { int<lower=1> N; array[N] int<lower=1, upper=N> g; } parameters { vector[N] a; }
      model { ${model} }`).join('\n');

  it('are omitted if the range of a loop variable or declared bounds prove them', () => {
    assert.doesNotMatch(within('for (n in 1:N) target += a[n];'), /check/);
    assert.doesNotMatch(within('for (n in 2:N) target += a[n] * a[n - 1];'), /check/);
    assert.doesNotMatch(within('for (n in 1:N) target += a[g[n]];'), /check/);
    assert.doesNotMatch(within('target += sum(a[g]);'), /check/);
  });

  it('remain if nothing is known', () => {
    assert.match(within('for (n in 1:N) target += a[n + 1];'), /vector\[uni\] indexing/);
    assert.match(within('target += sum(a[2:3]);'), /vector\[min_max\] max indexing/);
  });
});

describe('assignment', () => {
  it('of an elementwise expression is one loop', () => {
    assert.deepEqual(
      logDensity('parameters { vector[3] a; vector[3] b; } model { vector[3] c = 2 * a + b; }').slice(2),
      ['allocate real c[3]', 'for i in 0 .. 3 {', '  c[i] = (2.0 * position[i]) + position[i + 3]', '}'],
    );
  });

  it('copies only if a later read would see a written element', () => {
    const body = (model: string): string =>
      logDensity(`parameters { vector[3] a; } model { vector[3] c = a + 1; for (k in 1:2) ${model} }`).join('\n');
    assert.match(body('c = reverse(c);'), /copy/);
    assert.doesNotMatch(body('c = c + a;'), /copy/);
  });

  it('uses new memory if it runs exactly once', () => {
    const text = logDensity('parameters { vector[3] a; } model { vector[3] c = a + 1; c = reverse(c); c += a; }').join(
      '\n',
    );
    assert.equal(text.match(/allocate real c/g)?.length, 3);
    assert.doesNotMatch(text, /copy/);
  });

  it("of slices with other sizes fails with Stan's message", () => {
    const text = logDensity('parameters { vector[3] a; } model { vector[3] c = a; c[1:2] = a; }').join('\n');
    assert.match(text, /vector\[min_max\] assign: assigning variable c \(\{0\}\) and right hand side \(\{1\}\)/);
  });
});

describe('target', () => {
  it('adds the summands of an expression one by one', () => {
    assert.deepEqual(logDensity('parameters { real a; real b; } model { target += a - (b + 1); }').slice(2), [
      'target += a',
      'target += -b',
      'target += -1.0',
    ]);
  });

  it('adds the elements of vector expressions one by one', () => {
    assert.deepEqual(logDensity("parameters { real a; real b; } model { target += sum([a - b, 2]'); }").slice(2), [
      'target += a',
      'target += -b',
      'target += 2.0',
    ]);
  });

  it('is read without the terms of the sum that reads it', () => {
    assert.deepEqual(logDensity('parameters { real a; } model { target += 2; target += a + target(); }'), [
      'target = 0.0',
      'a = position[0]',
      'target = target + 2.0',
      'target_now = target',
      'target = target + (a + target_now)',
      'target += target',
    ]);
  });

  it('adds the elements of a container in one loop', () => {
    assert.deepEqual(logDensity('parameters { vector[3] a; } model { target += sum(exp(a)); }').slice(1), [
      'for i in 0 .. 3 {',
      '  target += exp(position[i])',
      '}',
    ]);
  });
});

describe('user functions', () => {
  const functions = `functions {
    real twice(real x) { return 2 * x; }
    real sign(real x) { if (x > 0) return 1; return -1; }
    real power(real x, int n) { if (n == 0) return 1; return x * power(x, n - 1); }
  }`;

  it('are inlined, without a label if they only return at the end', () => {
    assert.deepEqual(logDensity(`${functions} parameters { real a; } model { real b = twice(a); }`), [
      'a = position[0]',
      'x = a',
      'b = 2.0 * x',
    ]);
  });

  it('leave a labeled block if they return early', () => {
    assert.match(logDensity(`${functions} parameters { real a; } model { real b = sign(a); }`).join('\n'), /exit/);
  });

  it('that are recursive are called', () => {
    const program = lowered(`${functions} parameters { real a; } model { target += power(a, 3); }`);
    assert.deepEqual(
      program.functions.map(({ name }) => name),
      ['power'],
    );
  });
});

describe('increments of target', () => {
  const refusal = (value: string): string => {
    const result = lowerText(`model { target += ${value}; }`);
    assert.ok('diagnostics' in result);
    return result.diagnostics[0].message;
  };

  it('reject complex numbers and tuples, which the checker accepts as stanc does', () => {
    assert.match(refusal('1i'), /^A value of type complex cannot be added to target:/);
    assert.match(refusal('{1i}'), /array\[\] complex cannot be added/);
    assert.match(refusal('(1, 2.5)'), /tuple\(int, real\) cannot be added/);
  });
});

describe('unsupported programs', () => {
  it('are reported as a diagnostic with a location', () => {
    const result = lowerText('transformed data { real x = 2.5 ^ 3; }', new FunctionTable([], []));
    assert.ok('diagnostics' in result);
    assert.equal(result.diagnostics[0].kind, 'unsupported');
    assert.equal(result.diagnostics[0].span.begin.line, 1);
  });
});

describe('calls of user functions', () => {
  const REPEATED = `vector drift(vector x, real a) {
    vector[rows(x)] y = x;
    for (k in 1:rows(x)) { y[k] = exp(-a * y[k]) + a / (1 + square(y[k])) - a * sin(y[k]); }
    for (k in 2:rows(x)) { y[k] += a * y[k - 1] + tanh(a * y[k]) - exp(-a * square(y[k])); }
    return y - mean(y);
  }`;
  const program = (calls: number, transformed = '', model = 'a ~ normal(0, 1);'): string =>
    `functions { ${REPEATED} } transformed data { ${transformed} } parameters { real a; vector[3] x; } model { ${model} }
    generated quantities { ${Array.from({ length: calls }, (_, k) => `vector[3] y${k} = drift(x, a + ${k});`).join('\n')} }`;
  const functionsOf = (text: string): readonly string[] => lowered(text).functions.map(({ name }) => name);

  it('are inlined in small programs', () => {
    assert.deepEqual(functionsOf(program(3)), []);
  });

  it('remain calls of one function in large blocks without derivatives', () => {
    assert.deepEqual(functionsOf(program(30, "vector[3] z = drift([1, 2, 3]', 1);")), ['drift']);
    const calls = Array.from({ length: 30 }, () => 'z = drift(z, 1);').join('\n');
    assert.deepEqual(functionsOf(program(30, `vector[3] z = [1, 2, 3]'; ${calls}`)), ['drift']);
  });

  it('remain calls of long functions with many copies in the log density, except calls with data alone', () => {
    const long = `vector long_drift(vector x, real a) {
      vector[rows(x)] y = x;
      ${'for (k in 1:rows(x)) { y[k] = exp(-a * y[k]) + a / (1 + square(y[k])) - a * sin(y[k]); }\n'.repeat(6)}
      return y;
    }
    real long_sum(vector x, real a) { ${'if (a > 1) { return sum(exp(-a * x)) + a * sum(square(x)); }\n'.repeat(10)} return 1; }`;
    const model = (call: string, calls: number): string =>
      `functions { ${long} } data { real d; vector[3] u; } parameters { real a; vector[3] x; }
      model { a ~ normal(0, 1); ${`target += ${call};\n`.repeat(calls)} }`;
    assert.deepEqual(functionsOf(model('sum(long_drift(x, a))', 30)), ['long_drift']);
    assert.deepEqual(functionsOf(model('sum(long_drift(x, a))', 5)), []);
    assert.deepEqual(functionsOf(model('sum(long_drift(u, d))', 30)), []);
    assert.deepEqual(functionsOf(model('long_sum(x, a)', 30)), []);
  });

  it('are inlined in the log density if they are short, and wherever a solver calls them', () => {
    const repeated = Array.from({ length: 30 }, () => 'target += sum(drift(x, a));').join('\n');
    assert.deepEqual(functionsOf(program(1, '', repeated)), []);
    const solved = `functions { ${REPEATED} vector slope(real t, vector x, real a) { return drift(x, a); } }
      parameters { real a; vector[3] x; } generated quantities {
      vector[3] z = ode_rk45(slope, x, 0, {1.0}, a)[1];
      ${Array.from({ length: 12 }, () => 'z = drift(z, a);').join('\n')} }`;
    assert.deepEqual(functionsOf(solved), ['ode_rk45']);
  });
});

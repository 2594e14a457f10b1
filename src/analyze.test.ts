import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from './analyze.js';
import { tokenize } from './syntax/lexer.js';

test('a valid program has no errors, a description and a formatted text', () => {
  const { errors, warnings, info, formatted } = analyze('parameters{real a;}model{a~normal(0,1);}');
  assert.deepEqual([errors, warnings], [[], []]);
  assert.deepEqual(info?.parameters, { a: { type: 'real', dimensions: 0 } });
  assert.equal(formatted, 'parameters {\n  real a;\n}\nmodel {\n  a ~ normal(0, 1);\n}\n');
});

test('a program that cannot be parsed has one error and no formatted text', () => {
  const { errors, ...rest } = analyze('model { real x }');
  assert.deepEqual(rest, { warnings: [] });
  assert.deepEqual(
    errors.map(({ kind, span: { begin, end } }) => [kind, begin.column, end.column]),
    [['syntax', 15, 16]],
  );
});

test('a program with a semantic error can be formatted', () => {
  const { errors, info, formatted } = analyze('model{y=1;}');
  assert.deepEqual(
    errors.map(({ kind }) => kind),
    ['semantic'],
  );
  assert.equal(info, undefined);
  assert.equal(formatted, 'model {\n  y = 1;\n}\n');
});

test('pedantic warnings follow the default ones, only on request', () => {
  const program = 'parameters { real a; } model { int k = 1 / 2; }';
  const messages = (pedantic: boolean) => analyze(program, { pedantic }).warnings.map(({ message }) => message);
  const [division, ...others] = messages(false);
  assert.match(division ?? '', /^Found int division/);
  assert.deepEqual(others, []);
  assert.deepEqual(messages(true), [
    division,
    'The parameter a was declared but was not used in the density calculation.',
  ]);
});

test('valid Stan that is unsupported here gets a warning on request', () => {
  const program = 'parameters { real a; } model { target += (a, 1.0); }';
  const kinds = (unsupported: boolean) => analyze(program, { unsupported }).warnings.map(({ kind }) => kind);
  assert.deepEqual([kinds(false), kinds(true)], [[], ['unsupported']]);
});

/** It takes 12 to 19, in processor time, however busy the machine; `bench analyze` measures the milliseconds. */
const MOST_LEXINGS = 40;

test('a program of 200 lines is analyzed in a small multiple of the time of its lexing', () => {
  const lines = Array.from({ length: 48 }, (_, k) => {
    const center = k === 0 ? 'mu' : `a${k - 1}[1]`;
    return `  vector[N] a${k} = exp(y - ${center}) .* (x * beta + ${k}.5);
  for (n in 1:N) {
    if (a${k}[n] > sigma) target += normal_lpdf(y[n] | a${k}[n] * 2, sqrt(sigma)); // term ${k}
  }`;
  });
  const program = `data { int N; matrix[N, 3] x; vector[N] y; }
parameters { real mu; vector[3] beta; real<lower=0> sigma; }
model {
${lines.join('\n')}
  beta ~ normal(0, 1);
}`;
  assert.ok(program.split('\n').length >= 195);
  assert.deepEqual(analyze(program).errors, []);
  const spent = { analysis: 0, lexing: 0 };
  const measure = (what: keyof typeof spent, run: () => void): void => {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    spent[what] += user + system;
  };
  for (let round = 0; round < 40; round++) {
    measure('analysis', () => analyze(program));
    measure('lexing', () => tokenize({ name: 'string', text: program }, new Map()));
  }
  assert.ok(spent.analysis < MOST_LEXINGS * spent.lexing, JSON.stringify(spent));
});

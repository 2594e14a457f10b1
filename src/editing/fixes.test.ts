import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { edited } from '../derive/program-text.js';
import type { Fix } from './fix.js';
import { LanguageService } from './language-service.js';

function fixesIn(text: string, includes: Readonly<Record<string, string>> = {}) {
  const program = { name: 'model.stan', text, includes };
  const { remarks } = new LanguageService().update(program);
  return { program, fixes: remarks.flatMap(({ fixes }): readonly Fix[] => fixes) };
}

const MODEL = 'parameters { real b; } model { y ~ normal(b * x, 1); }';

const FIXED: readonly (readonly [wrong: string, title: string, right: string])[] = [
  ['parameters { real x }', 'Add ;', 'parameters { real x; }'],
  ['data {\n  int N // rows\n  int K;\n}', 'Add ;', 'data {\n  int N; // rows\n  int K;\n}'],
  ['model { real x; x = 3\n}', 'Add ;', 'model { real x; x = 3;\n}'],
  [
    'parameters { real x; } model { x ~ normal(0, 1);',
    'Close the block with }',
    'parameters { real x; } model { x ~ normal(0, 1);\n}',
  ],
  [
    'data { int N; real<lower=0> y[N]; }',
    'Write array[N] real<lower=0> y',
    'data { int N; array[N] real<lower=0> y; }',
  ],
  ['data { int N; vector[3] y[N, 2]; }', 'Write array[N, 2] vector[3] y', 'data { int N; array[N, 2] vector[3] y; }'],
  [
    'generated quantities { int y[2] = poisson_rng({1.0, 2.0}[1:2]); }',
    'Write array[2] int y',
    'generated quantities { array[2] int y = poisson_rng({1.0, 2.0}[1:2]); }',
  ],
  ['generated quantities { real x = fabs(-2.5); }', 'Write abs', 'generated quantities { real x = abs(-2.5); }'],
  [
    'transformed data { matrix[1, 1] K = cov_exp_quad({1.0}, 1.0, 2.0); }',
    'Write gp_exp_quad_cov',
    'transformed data { matrix[1, 1] K = gp_exp_quad_cov({1.0}, 1.0, 2.0); }',
  ],
  [
    'functions { real f(real[,] x) { return x[1, 1]; } }',
    'Write array[,] real',
    'functions { real f(array[,] real x) { return x[1, 1]; } }',
  ],
  ['model { real x; x <- 3; }', 'Assign with =', 'model { real x; x = 3; }'],
  [
    'parameters { real x; } model { increment_log_prob(-x^2); }',
    'Write target +=',
    'parameters { real x; } model { target += -x^2; }',
  ],
  [
    'parameters { real x; } model { x = normal(0, 1); }',
    'Write ~ for a distribution',
    'parameters { real x; } model { x ~ normal(0, 1); }',
  ],
  [
    'parameters { real x; } model { target += normal_lpdf(x, 0, 1); }',
    'Write | after the outcome',
    'parameters { real x; } model { target += normal_lpdf(x | 0, 1); }',
  ],
  [
    'parameters { real größe; } model { größe ~ normal(0, 1); }',
    'Write groesse: names consist of a to z, A to Z, 0 to 9 and _',
    'parameters { real groesse; } model { groesse ~ normal(0, 1); }',
  ],
  ['parameters { real x; # mean\n}', 'Begin the comment with //', 'parameters { real x; // mean\n}'],
  ['transformed_data { }', 'Write transformed data', 'transformed data { }'],
  ['transformed data { real x = 2**2; }', 'Write ^', 'transformed data { real x = 2^2; }'],
  [
    'data { int a; } transformed data { int b = a and 1; }',
    'Write &&',
    'data { int a; } transformed data { int b = a && 1; }',
  ],
  [
    'parameters { real x; } model { x ~ Norml(0, 1); }',
    'Write normal',
    'parameters { real x; } model { x ~ normal(0, 1); }',
  ],
  [
    'parameters { real alpha; } model { alhpa ~ normal(0, 1); }',
    'Write alpha',
    'parameters { real alpha; } model { alpha ~ normal(0, 1); }',
  ],
  [
    'data { int N; array[N] int x; vector[N] y; }',
    'Declare x as vector[N]',
    'data { int N; vector[N] x; vector[N] y; }',
  ],
  [
    'data { int N; array[N] int<lower=0, upper=9> x, z; vector[N] y; }',
    'Declare x as vector<lower=0, upper=9>[N]',
    'data { int N; vector<lower=0, upper=9>[N] x;\n array[N] int<lower=0, upper=9> z; vector[N] y; }',
  ],
  [
    'data { real N; array[2] real x; array[2] real y; vector[N] z; }',
    'Declare N as int',
    'data { int N; array[2] real x; array[2] real y; vector[N] z; }',
  ],
  [
    'data { int a; int b; } transformed data { real c = a / b; }',
    'Divide as real numbers',
    'data { int a; int b; } transformed data { real c = a * 1.0 / b; }',
  ],
  ['transformed data { real c = 1 / 2; }', 'Divide as real numbers', 'transformed data { real c = 1.0 / 2; }'],
  [
    'data { int a; } transformed data { real c = a / 2; }',
    'Round with %/%',
    'data { int a; } transformed data { real c = a %/% 2; }',
  ],
];

describe('fixes', () => {
  for (const [wrong, title, right] of FIXED) {
    it(`${title}: ${wrong.replaceAll('\n', ' ')}`, () => {
      // A program with only a data block does not use its variables.
      const rest = /^data \{ int N; array|^data \{ real N/.test(wrong) ? ` ${MODEL}` : '';
      const { fixes, program } = fixesIn(wrong + rest);
      const found = fixes.find((fix) => fix.title === title);
      assert.ok(found !== undefined, `only: ${fixes.map((fix) => fix.title).join(', ')}`);
      assert.equal(edited(program, found.edits).text, right + rest);
    });
  }

  it('declare an outcome of a count distribution as integers', () => {
    const { fixes } = fixesIn(
      'data { int N; vector<lower=0>[N] y; } parameters { real b; } model { for (n in 1:N) y[n] ~ poisson_log(b); }',
    );
    assert.deepEqual(
      fixes.map(({ title }) => title),
      ['Declare y as array[N] int<lower=0>'],
    );
  });

  it('replace a covariate made of group codes by an index', () => {
    const { fixes, program } = fixesIn(
      'data { int N; int<lower=1> N_sex; array[N] int<lower=1, upper=N_sex> sex; vector[N] y; } ' +
        'parameters { real a, gamma; } model { y ~ normal(a + gamma * sex, 1); }',
    );
    assert.deepEqual(
      fixes.map(({ title }) => title),
      ['Use sex as an index: gamma[sex]'],
    );
    assert.equal(
      edited(program, fixes[0]?.edits ?? []).text,
      'data { int N; int<lower=1> N_sex; array[N] int<lower=1, upper=N_sex> sex; vector[N] y; } ' +
        'parameters { vector[N_sex] gamma;\n real a; } model { y ~ normal(a + gamma[sex], 1); }',
    );
  });

  it('are offered only if the program then has no errors, or has its first error later', () => {
    const { fixes } = fixesIn(
      'data { int N; vector[N] y; } parameters { simplex[3] s; } model { y ~ categorical(s * "a"); }',
    );
    assert.deepEqual(fixes, []);
    assert.deepEqual(fixesIn('parameters { real x; } model { completely ~ wrong(1); }').fixes, []);
  });

  it('change the text that contains the error', () => {
    const { fixes, program } = fixesIn('functions {\n#include f.stan\n}', {
      'f.stan': 'real f(real x) { return 2 * x }',
    });
    assert.deepEqual(
      fixes.map(({ title }) => title),
      ['Add ;'],
    );
    assert.equal(edited(program, fixes[0]?.edits ?? []).includes['f.stan'], 'real f(real x) { return 2 * x; }');
  });

  it('are not offered for a correct program', () => {
    assert.deepEqual(fixesIn('parameters { real x; } model { x ~ normal(0, 1); }').fixes, []);
  });
});

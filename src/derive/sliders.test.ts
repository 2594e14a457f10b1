import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check } from '../check/check.js';
import { FUNCTIONS } from '../functions/table.js';
import { parse } from '../syntax/parse.js';
import type { ProgramText } from './program-text.js';
import { slidersOf, withConstantsAsData, withConstantValues } from './sliders.js';

const programOf = (text: string, includes: ProgramText['includes'] = {}): ProgramText => ({
  name: 'model.stan',
  text,
  includes,
});

const PROGRAM = programOf(`data {
  int<lower=0> N;
  int<lower=0, upper=9> heads; // @slider 0 9
  vector[N] y;
}
parameters {
  real a;
}
model {
  a ~ normal(-2, 1.5); // prior @slider
  y[1] ~ normal(a - 3, 1); // @slider 1 8
  y ~ normal(a, 2);
}
`);

describe('sliders of a program', () => {
  const sliders = slidersOf(PROGRAM);

  it('are literals in marked lines, with their signs and ranges', () => {
    assert.deepEqual(
      sliders.constants.map(({ isInteger, line, range, value }) => ({ isInteger, line, range, value })),
      [
        { isInteger: true, line: 10, range: undefined, value: -2 },
        { isInteger: false, line: 10, range: undefined, value: 1.5 },
        { isInteger: true, line: 11, range: { from: 1, to: 8 }, value: 3 },
        { isInteger: true, line: 11, range: { from: 1, to: 8 }, value: 1 },
      ],
    );
  });

  it('are marked data variables; sizes are listed', () => {
    assert.deepEqual([...sliders.data], [['heads', { from: 0, to: 9 }]]);
    assert.deepEqual([...sliders.sizes], ['N']);
  });

  it('become data of a program without errors', () => {
    const { text } = withConstantsAsData(PROGRAM, sliders);
    assert.match(text, /^data \{ real slider_1; real slider_2; real slider_3; real slider_4;\n/);
    assert.match(
      text,
      /a ~ normal\(slider_1, slider_2\); \/\/ prior @slider\n {2}y\[1\] ~ normal\(a - slider_3, slider_4\)/,
    );
    const parsed = parse({ name: 'model.stan', text }, new Map());
    assert.ok('program' in parsed && 'program' in check(parsed.program, FUNCTIONS));
    assert.match(withConstantsAsData(PROGRAM, sliders, { areIntegers: true }).text, /int slider_1; real slider_2;/);
  });

  it('add a data block after functions if it is absent', () => {
    const program = programOf(
      'functions { real f() { return 1; } } parameters { real a; } model { a ~ normal(f(), 2); // @slider\n}',
    );
    const { text } = withConstantsAsData(program, slidersOf(program));
    assert.match(text, /\} \} data \{ real slider_1; \}\nparameters/);
  });

  it('take other values in the program', () => {
    const { text } = withConstantValues(
      PROGRAM,
      sliders,
      new Map([
        ['slider_1', 0.5],
        ['slider_4', 2],
      ]),
    );
    assert.match(text, /a ~ normal\(0\.5, 1\.5\);.*\n {2}y\[1\] ~ normal\(a - 3, 2\)/);
  });

  it('are not in functions and included files, and have unused names', () => {
    const program = programOf(
      'functions {\n real f() { return 1; } // @slider\n}\n#include a.stan\nparameters { real slider_1; }\nmodel { slider_1 ~ normal(0, 4); // @slider\n}',
      { 'a.stan': 'transformed data { real b = 7; // @slider\n}\n' },
    );
    assert.deepEqual(
      slidersOf(program).constants.map(({ name, value }) => [name, value]),
      [
        ['sslider_1', 0],
        ['slider_2', 4],
      ],
    );
  });
});

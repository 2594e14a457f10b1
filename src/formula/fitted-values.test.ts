import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FittedModel, variablesOf } from './fitted-values.js';
import type { ModelTerms } from './model-terms.js';

const x = [0, 1, 3];
const male = [0, 1, 1];
const school = [1, 2, 2];
const data = (name: string) =>
  new Map([
    ['y', [1, 0, 1]],
    ['x', x],
    ['sex_m', male],
    ['school', school],
  ]).get(name);
const DRAWS = new Map([
  ['alpha', [0.5, 1]],
  ['b_x', [2, -1]],
  ['b_sex_m', [1, 0.5]],
  ['b_x_sex_m', [0.25, 2]],
  ['r_school[1,1]', [0.1, 0.2]],
  ['r_school[1,2]', [0.3, 0.4]],
  ['r_school[2,1]', [-0.5, 0.6]],
  ['r_school[2,2]', [0.7, -0.8]],
  ['cutpoints[1]', [-1, 0]],
  ['cutpoints[2]', [1, 0.5]],
]);
const draws = (name: string) => {
  const found = DRAWS.get(name);
  return found && Float64Array.from(found);
};

const TERMS: ModelTerms = {
  family: 'normal',
  outcome: 'y',
  heading: 'y',
  intercept: 'alpha',
  predictors: [
    { name: 'x', heading: 'x' },
    { name: 'sex_m', heading: 'sex', level: 'm', reference: 'f' },
  ],
  summands: [
    { coefficient: 'b_x', predictors: ['x'], center: 1.5 },
    { coefficient: 'b_sex_m', predictors: ['sex_m'], center: 0.7 },
    { coefficient: 'b_x_sex_m', predictors: ['x', 'sex_m'], center: 1.25 },
    { coefficient: 'r_school', group: 'school', position: 1, predictors: [], center: 0 },
    { coefficient: 'r_school', group: 'school', position: 2, predictors: ['x'], center: 0 },
  ],
  offsets: [],
  effects: [{ quantity: 'b_x', predictor: 'x' }],
  statements: [],
};

/** The linear predictor of a row, by its definition. */
function eta(draw: number, value: number, sex: number, code: number): number {
  const [alpha, b, c, d] = ['alpha', 'b_x', 'b_sex_m', 'b_x_sex_m'].map(
    (name) => DRAWS.get(name)?.[draw] ?? Number.NaN,
  );
  const [r, s] = [1, 2].map((place) => DRAWS.get(`r_school[${code},${place}]`)?.[draw] ?? Number.NaN);
  return alpha + b * (value - 1.5) + c * (sex - 0.7) + d * (value * sex - 1.25) + r + s * value;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const logistic = (value: number) => 1 / (1 + Math.exp(-value));

function near(actual: ArrayLike<number> | undefined, expected: readonly number[]): void {
  assert.equal(actual?.length, expected.length);
  for (const [place, value] of expected.entries())
    assert.ok(Math.abs(actual[place] - value) < 1e-12, `${actual[place]} instead of ${value}`);
}

describe('fitted values', () => {
  it('are averages over the rows', () => {
    const [[at]] = FittedModel.of(TERMS, data, draws)?.expected('x', [2]) ?? [[]];
    near(
      at,
      [0, 1].map((draw) => mean(male.map((sex, row) => eta(draw, 2, sex, school[row])))),
    );
  });

  it('are those of one level and one group', () => {
    const model = FittedModel.of(TERMS, data, draws);
    const setting = { level: { heading: 'sex', level: 'f' }, group: { variable: 'school', code: 2 } };
    const [values] = model?.expected('x', [-1, 2], setting) ?? [];
    near(values?.[0], [eta(0, -1, 0, 2), eta(1, -1, 0, 2)]);
    near(values?.[1], [eta(0, 2, 0, 2), eta(1, 2, 0, 2)]);
    const [[alone]] = model?.expected(undefined, [], setting) ?? [[]];
    near(
      alone,
      [0, 1].map((draw) => mean(x.map((value) => eta(draw, value, 0, 2)))),
    );
  });

  it('are averages of probabilities and counts', () => {
    for (const [family, inverse] of [
      ['bernoulli', logistic],
      ['poisson', Math.exp],
      ['negbinomial', Math.exp],
    ] as const) {
      const [[at]] = FittedModel.of({ ...TERMS, family }, data, draws)?.expected('x', [2]) ?? [[]];
      near(
        at,
        [0, 1].map((draw) => mean(male.map((sex, row) => inverse(eta(draw, 2, sex, school[row]))))),
      );
    }
  });

  it('are probabilities of ordered categories', () => {
    const { intercept: _, ...others } = TERMS;
    const terms: ModelTerms = { ...others, family: 'cumulative', cutpoints: 'cutpoints' };
    const [low, middle, high] = FittedModel.of(terms, data, draws)?.expected('x', [2]) ?? [];
    const below = (draw: number, k: number) =>
      mean(
        male.map((sex, row) =>
          logistic(
            (DRAWS.get(`cutpoints[${k}]`)?.[draw] ?? 0) -
              eta(draw, 2, sex, school[row]) +
              (DRAWS.get('alpha')?.[draw] ?? 0),
          ),
        ),
      );
    near(low?.[0], [below(0, 1), below(1, 1)]);
    near(middle?.[0], [below(0, 2) - below(0, 1), below(1, 2) - below(1, 1)]);
    near(high?.[0], [1 - below(0, 2), 1 - below(1, 2)]);
  });

  it('contain the offsets of the rows', () => {
    const offsets = [
      { variable: 'y', isLog: false },
      { variable: 'exposure', isLog: true },
    ];
    const exposed = (name: string) => (name === 'exposure' ? [1, 2, 4] : data(name));
    const [[at]] = FittedModel.of({ ...TERMS, offsets, family: 'poisson' }, exposed, draws)?.expected('x', [2]) ?? [[]];
    const shifts = [1, Math.log(2), 1 + Math.log(4)];
    near(
      at,
      [0, 1].map((draw) => mean(male.map((sex, row) => Math.exp(eta(draw, 2, sex, school[row]) + shifts[row])))),
    );
  });

  it('of a group have the effects of the groups in which it is nested, and the average of those that it contains', () => {
    const terms: ModelTerms = {
      ...TERMS,
      summands: ['school', 'room'].map((group) => ({ coefficient: `r_${group}`, group, predictors: [], center: 0 })),
    };
    const effects = new Map([
      ['alpha', 50],
      ...[1, 2].map((value, place) => [`r_school[${place + 1}]`, value] as const),
      ...[0.1, 0.2, 0.4].map((value, place) => [`r_room[${place + 1}]`, value] as const),
    ]);
    const model = FittedModel.of(
      terms,
      (name) => (name === 'school' ? [1, 1, 2, 2] : name === 'room' ? [1, 2, 3, 3] : [0, 0, 0, 0]),
      (name) => (effects.has(name) ? Float64Array.of(effects.get(name) ?? 0) : undefined),
    );
    const at = (variable: string, code: number) => model?.expected(undefined, [], { group: { variable, code } })[0][0];
    near(at('room', 2), [50 + 1 + 0.2]);
    near(at('room', 3), [50 + 2 + 0.4]);
    near(at('school', 1), [50 + 1 + 0.15]);
    near(at('school', 2), [50 + 2 + 0.4]);
  });

  it('need all data and draws', () => {
    assert.equal(
      FittedModel.of(TERMS, (name) => (name === 'x' ? [1, 2] : data(name)), draws),
      undefined,
    );
    assert.equal(
      FittedModel.of(TERMS, (name) => (name === 'school' ? [1, 2, 3] : data(name)), draws),
      undefined,
    );
    assert.equal(
      FittedModel.of(TERMS, data, (name) => (name === 'b_x' ? undefined : draws(name))),
      undefined,
    );
    assert.deepEqual([...variablesOf(TERMS)], ['alpha', 'b_x', 'b_sex_m', 'b_x_sex_m', 'r_school']);
  });
});

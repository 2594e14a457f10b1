/**
 * The log densities of twelve generated programs, up to a constant, compared with closed forms of the models: the table's columns, treatment coding and
 * the rules for priors are written again here.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Family } from '../../src/formula/families.js';
import { modelFromFormula } from '../../src/formula/model.js';
import { compile } from '../../src/node/library/index.js';
import { columnOf, PUPILS } from './tables.js';

type Values = Readonly<Record<string, number | readonly number[] | readonly (readonly number[])[]>>;

const { log, exp, log1p, sqrt } = Math;
const score = columnOf(PUPILS, 'score');
const hours = columnOf(PUPILS, 'hours');
const male = columnOf(PUPILS, 'sex').map((code) => code - 1);
const female = male.map((value) => 1 - value);
const school = columnOf(PUPILS, 'school').map((code) => code - 1);
const room = columnOf(PUPILS, 'room').map((value) => value - 1);
const fails = columnOf(PUPILS, 'fails');
const passed = columnOf(PUPILS, 'passed').map((code) => code - 1);
// The codes of a text follow its alphabetical order: high, low, mid.
const grade = columnOf(PUPILS, 'grade').map((code) => [3, 1, 2][code - 1]);

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const sd = (values: readonly number[]) =>
  sqrt(values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1));
const times = (a: readonly number[], b: readonly number[]) => a.map((value, row) => value * b[row]);
/** The values minus their mean, which programs contain with the fourth digit of the standard deviation. */
const centered = (values: readonly number[]) => {
  const step = 10 ** (Math.floor(Math.log10(sd(values))) - 3);
  return values.map((value) => value - step * Math.round(mean(values) / step));
};
const two = (value: number) => Number(value.toPrecision(2));
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

const normal = (y: number, mu: number, sigma: number) => -0.5 * ((y - mu) / sigma) ** 2 - log(sigma);
const exponential = (y: number, rate: number) => -rate * y;
const logistic = (x: number) => 1 / (1 + exp(-x));
const bernoulli = (y: number, eta: number) => -log1p(exp(y === 1 ? -eta : eta));
const poisson = (y: number, eta: number) => y * eta - exp(eta);
/** The logarithm of the gamma function, by Stirling's series after a shift. */
function lgamma(x: number): number {
  if (x < 12) return lgamma(x + 1) - log(x);
  return (x - 0.5) * log(x) - x + 0.5 * log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5);
}
const student = (y: number, nu: number, mu: number, sigma: number) =>
  lgamma((nu + 1) / 2) -
  lgamma(nu / 2) -
  0.5 * log(nu) -
  log(sigma) -
  ((nu + 1) / 2) * log1p(((y - mu) / sigma) ** 2 / nu);
const negativeBinomial = (y: number, eta: number, phi: number) =>
  lgamma(y + phi) - lgamma(phi) + phi * log(phi / (phi + exp(eta))) + y * log(exp(eta) / (phi + exp(eta)));
const ordered = (y: number, eta: number, cut: readonly number[]) => {
  const below = (k: number) => (k === 0 ? 0 : k > cut.length ? 1 : logistic(cut[k - 1] - eta));
  return log(below(y) - below(y - 1));
};
/** A bivariate normal density with standard deviations `s` and correlation `r`. */
const binormal = ([a, b]: readonly number[], [s, t]: readonly number[], r: number) =>
  (-0.5 * ((a / s) ** 2 - (2 * r * a * b) / (s * t) + (b / t) ** 2)) / (1 - r * r) - log(s * t * sqrt(1 - r * r));

const sy = sd(score);
const intercept = (alpha: number) => normal(alpha, Math.round(mean(score)), two(2.5 * sy));
const slope = (b: number, x: readonly number[], scale = sy) => normal(b, 0, two((2.5 * scale) / sd(x)));
const error = (sigma: number) => exponential(sigma, two(1 / sy));
const varying = (values: readonly number[], sigma: number) => total(values.map((value) => normal(value, 0, sigma)));

interface Case {
  readonly family: Family;
  readonly formula: string;
  readonly points: readonly [Values, Values];
  /** The log density of the second point minus that of the first. */
  readonly density: (
    values: Record<string, number>,
    vectors: Record<string, readonly number[]>,
    rows: readonly (readonly number[])[],
  ) => number;
}

const few = [-1, 0.5, 2, 0.25];
const other = [0.3, -2, 1, 0.7];

const CASES: readonly Case[] = [
  {
    family: 'normal',
    formula: 'score ~ hours',
    points: [
      { alpha: 58, b_hours: 3, sigma: 4 },
      { alpha: 61, b_hours: 5, sigma: 2.5 },
    ],
    density: ({ alpha, b_hours, sigma }) =>
      intercept(alpha) +
      slope(b_hours, hours) +
      error(sigma) +
      total(score.map((y, n) => normal(y, alpha + b_hours * centered(hours)[n], sigma))),
  },
  {
    family: 'normal',
    formula: 'score ~ hours*sex + (1 | school)',
    points: [
      { alpha: 58, b_hours: 3, b_sex_m: 1, b_hours_sex_m: 0.5, sd_school: 2, r_school: few, sigma: 4 },
      { alpha: 61, b_hours: 5, b_sex_m: -2, b_hours_sex_m: -0.5, sd_school: 1, r_school: other, sigma: 2.5 },
    ],
    density: ({ alpha, b_hours, b_sex_m, b_hours_sex_m, sd_school, sigma }, { r_school }) =>
      intercept(alpha) +
      slope(b_hours, hours) +
      slope(b_sex_m, male) +
      slope(b_hours_sex_m, times(hours, male)) +
      error(sigma) +
      exponential(sd_school, two(1 / sy)) +
      varying(r_school, sd_school) +
      total(
        score.map((y, n) => {
          const fixed = b_hours * centered(hours)[n] + b_sex_m * centered(male)[n];
          const product = b_hours_sex_m * centered(times(hours, male))[n];
          return normal(y, alpha + fixed + product + r_school[school[n]], sigma);
        }),
      ),
  },
  {
    family: 'normal',
    formula: 'score ~ hours + (1 + hours | school)',
    points: [
      {
        alpha: 58,
        b_hours: 3,
        sd_school: [2, 1],
        L_school: [
          [1, 0],
          [0.6, 0.8],
        ],
        r_school: few.map((a, j) => [a, other[j]]),
        sigma: 4,
      },
      {
        alpha: 61,
        b_hours: 5,
        sd_school: [1, 3],
        L_school: [
          [1, 0],
          [-0.8, 0.6],
        ],
        r_school: other.map((a, j) => [a, few[j]]),
        sigma: 2.5,
      },
    ],
    density: ({ alpha, b_hours, sigma, correlation }, { sd_school }, rows) =>
      intercept(alpha) +
      slope(b_hours, hours) +
      error(sigma) +
      exponential(sd_school[0], two(1 / sy)) +
      exponential(sd_school[1], two(sd(hours) / sy)) +
      total(rows.map((row) => binormal(row, sd_school, correlation))) +
      total(
        score.map((y, n) => {
          const [a, b] = rows[school[n]];
          return normal(y, alpha + b_hours * centered(hours)[n] + a + b * hours[n], sigma);
        }),
      ),
  },
  {
    family: 'normal',
    formula: 'score ~ 0 + sex',
    points: [
      { b_sex_f: 57, b_sex_m: 60, sigma: 4 },
      { b_sex_f: 59, b_sex_m: 55, sigma: 3 },
    ],
    density: ({ b_sex_f, b_sex_m, sigma }) =>
      intercept(b_sex_f) +
      intercept(b_sex_m) +
      error(sigma) +
      total(score.map((y, n) => normal(y, b_sex_f * female[n] + b_sex_m * male[n], sigma))),
  },
  {
    family: 'normal',
    formula: 'score ~ (1 | school) + (1 | room)',
    points: [
      { alpha: 58, sd_school: 2, r_school: few, sd_room: 1, r_room: [1, -1, 0.5], sigma: 4 },
      { alpha: 61, sd_school: 3, r_school: other, sd_room: 2, r_room: [0.2, 2, -0.5], sigma: 5 },
    ],
    density: ({ alpha, sd_room, sd_school, sigma }, { r_room, r_school }) =>
      intercept(alpha) +
      error(sigma) +
      exponential(sd_school, two(1 / sy)) +
      exponential(sd_room, two(1 / sy)) +
      varying(r_school, sd_school) +
      varying(r_room, sd_room) +
      total(score.map((y, n) => normal(y, alpha + r_school[school[n]] + r_room[room[n]], sigma))),
  },
  {
    family: 'student',
    formula: 'score ~ hours + sex',
    points: [
      { alpha: 58, b_hours: 3, b_sex_m: 1, nu: 3, sigma: 4 },
      { alpha: 61, b_hours: 5, b_sex_m: -2, nu: 20, sigma: 2.5 },
    ],
    density: ({ alpha, b_hours, b_sex_m, nu, sigma }) =>
      intercept(alpha) +
      slope(b_hours, hours) +
      slope(b_sex_m, male) +
      error(sigma) +
      log(nu) -
      0.1 * nu +
      total(
        score.map((y, n) => student(y, nu, alpha + b_hours * centered(hours)[n] + b_sex_m * centered(male)[n], sigma)),
      ),
  },
  {
    family: 'bernoulli',
    formula: 'passed ~ hours',
    points: [
      { alpha: 0.2, b_hours: 1 },
      { alpha: -0.5, b_hours: 2 },
    ],
    density: ({ alpha, b_hours }) =>
      normal(alpha, 0, 2.5) +
      slope(b_hours, hours, 1) +
      total(passed.map((y, n) => bernoulli(y, alpha + b_hours * centered(hours)[n]))),
  },
  {
    family: 'bernoulli',
    formula: 'passed ~ sex + (0 + hours | school)',
    points: [
      { alpha: 0.2, b_sex_m: 1, sd_school_hours: 2, r_school_hours: few },
      { alpha: -0.5, b_sex_m: 2, sd_school_hours: 1, r_school_hours: other },
    ],
    density: ({ alpha, b_sex_m, sd_school_hours }, { r_school_hours }) =>
      normal(alpha, 0, 2.5) +
      slope(b_sex_m, male, 1) +
      exponential(sd_school_hours, two(sd(hours))) +
      varying(r_school_hours, sd_school_hours) +
      total(
        passed.map((y, n) => bernoulli(y, alpha + b_sex_m * centered(male)[n] + r_school_hours[school[n]] * hours[n])),
      ),
  },
  {
    family: 'cumulative',
    formula: 'grade ~ hours + (1 | room)',
    points: [
      { cutpoints: [-1, 1], b_hours: 1, sd_room: 1, r_room: [1, -1, 0.5] },
      { cutpoints: [-2, 0.5], b_hours: 2, sd_room: 2, r_room: [0.2, 2, -0.5] },
    ],
    density: ({ b_hours, sd_room }, { cutpoints, r_room }) =>
      total(cutpoints.map((cut) => normal(cut, 0, 2.5))) +
      slope(b_hours, hours, 1) +
      exponential(sd_room, 1) +
      varying(r_room, sd_room) +
      total(grade.map((y, n) => ordered(y, b_hours * centered(hours)[n] + r_room[room[n]], cutpoints))),
  },
  {
    family: 'poisson',
    formula: 'fails ~ 1',
    points: [{ alpha: 0.5 }, { alpha: 1.5 }],
    density: ({ alpha }) => normal(alpha, 0.8, 2.5) + total(fails.map((y) => poisson(y, alpha))),
  },
  {
    family: 'poisson',
    formula: 'fails ~ hours + (1 + hours || school)',
    points: [
      { alpha: 0.5, b_hours: -1, sd_school: 1, r_school: few, sd_school_hours: 0.5, r_school_hours: other },
      { alpha: 1, b_hours: -0.5, sd_school: 2, r_school: other, sd_school_hours: 1, r_school_hours: few },
    ],
    density: ({ alpha, b_hours, sd_school, sd_school_hours }, { r_school, r_school_hours }) =>
      normal(alpha, 0.8, 2.5) +
      slope(b_hours, hours, 1) +
      exponential(sd_school, 1) +
      exponential(sd_school_hours, two(sd(hours))) +
      varying(r_school, sd_school) +
      varying(r_school_hours, sd_school_hours) +
      total(
        fails.map((y, n) => {
          const group = r_school[school[n]] + r_school_hours[school[n]] * hours[n];
          return poisson(y, alpha + b_hours * centered(hours)[n] + group);
        }),
      ),
  },
  {
    family: 'negbinomial',
    formula: 'fails ~ factor(room)',
    points: [
      { alpha: 0.5, b_room_2: -1, b_room_3: 0.5, phi: 2 },
      { alpha: 1, b_room_2: 0.5, b_room_3: 1, phi: 0.7 },
    ],
    density: ({ alpha, b_room_2, b_room_3, phi }) => {
      const [second, third] = [1, 2].map((code) => room.map((value) => Number(value === code)));
      return (
        normal(alpha, 0.8, 2.5) +
        slope(b_room_2, second, 1) +
        slope(b_room_3, third, 1) -
        1.4 * log(phi) -
        0.3 / phi +
        total(
          fails.map((y, n) =>
            negativeBinomial(y, alpha + b_room_2 * centered(second)[n] + b_room_3 * centered(third)[n], phi),
          ),
        )
      );
    },
  },
];

describe('log densities of models from formulas', () => {
  for (const { density, family, formula, points } of CASES)
    it(`${family}: ${formula}`, async () => {
      const made = modelFromFormula({ formula, family, table: PUPILS, order: ['low', 'mid', 'high'] });
      assert.ok('program' in made, JSON.stringify(made));
      const model = await compile(made.program);
      const posterior = await model.on(made.data);
      const [first, second] = points.map((values) => {
        const scalars: Record<string, number> = {};
        const vectors: Record<string, readonly number[]> = {};
        let rows: readonly (readonly number[])[] = [];
        for (const [name, value] of Object.entries(values)) {
          if (typeof value === 'number') scalars[name] = value;
          else if (name === 'L_school') scalars.correlation = rowsIn(value)[1][0];
          else if (Array.isArray(value[0])) rows = rowsIn(value);
          else vectors[name] = numbersIn(value);
        }
        const ours = posterior.logDensity(posterior.unconstrain(values), { jacobian: false });
        return { ours, expected: density(scalars, vectors, rows) };
      });
      const [actual, expected] = [second.ours - first.ours, second.expected - first.expected];
      assert.ok(
        Math.abs(actual - expected) < 1e-9 * Math.max(1, Math.abs(expected)),
        `${actual} instead of ${expected}`,
      );
    });
});

function numbersIn(value: readonly (number | readonly number[])[]): readonly number[] {
  return value.filter((each) => typeof each === 'number');
}

function rowsIn(value: readonly (number | readonly number[])[]): readonly (readonly number[])[] {
  return value.filter((each) => typeof each !== 'number');
}

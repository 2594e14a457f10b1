import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FUNCTIONS } from '../../src/functions/table.js';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { misfitOfMasses, misfitOfUniform } from './goodness.js';
import { CONTINUOUS, DISCRETE, type Row, STRUCTURED } from './rows.js';

const DRAWS = 100_000;
const SEED = 20_261_121;
const ALL = { transformedParameters: true, generatedQuantities: true };

/** Draws of the row's statistic, and their expected distribution: probabilities of values, or the statistic at two ends. */
function programOf(row: Row): string {
  const value = 'uniform' in row ? row.uniform : row.count;
  const masses = `vector[to - from + 1] expected; ${'uniform' in row ? endsOf(row) : massesOf(row)}`;
  return `
    data { int draws; int from; int to; }
    generated quantities {
      vector[draws] statistic;
      for (n in 1:draws) { ${row.type} r = ${row.draw}; statistic[n] = ${value}; }
      ${masses}
    }`;
}

function endsOf({ type, uniform, ends }: Extract<Row, { uniform: string }>): string {
  return (ends ?? []).map((end, k) => `{ ${type} r = ${end}; expected[${k + 1}] = ${uniform}; }`).join(' ');
}

function massesOf({ logMass }: Extract<Row, { logMass: string }>): string {
  return `for (k in from:to) expected[k - from + 1] = exp(${logMass});`;
}

function run(row: Row, draws: number, seed: number): { statistic: Float64Array; expected: Float64Array } {
  const [from, to] = 'uniform' in row ? [1, row.ends?.length ?? 0] : [row.from, row.to];
  const model = buildModel(compileProgram(programOf(row)), JSON.stringify({ draws, from, to }));
  const out = new Float64Array(model.constrainedNames(ALL).length);
  model.seedRandom(seed, 1);
  model.writeArray(new Float64Array(0), out, ALL);
  return { statistic: out.slice(0, draws), expected: out.slice(draws) };
}

function misfit(row: Row): string | null {
  const { statistic, expected } = run(row, DRAWS, SEED);
  if ('count' in row) return misfitOfMasses(statistic, row.from, expected);
  return row.ends === undefined ? misfitOfUniform(statistic) : misfitOfUniform(statistic, expected[0], expected[1]);
}

const ROWS = [...CONTINUOUS, ...DISCRETE, ...STRUCTURED];

describe(`${DRAWS} draws fit their distribution`, () => {
  for (const row of ROWS) {
    it(`${row.draw}: ${'uniform' in row ? row.uniform : row.logMass}`, () => assert.equal(misfit(row), null));
  }
});

describe('draws', () => {
  it('are reproducible from their seed', () => {
    for (const row of ROWS) {
      const first = run(row, 50, 7).statistic;
      assert.deepEqual(first, run(row, 50, 7).statistic, row.draw);
      if (first.some((value) => value !== first[0])) assert.notDeepEqual(first, run(row, 50, 8).statistic, row.draw);
    }
  });

  it('are tested for every random number function', () => {
    const tested = new Set(ROWS.map(({ draw }) => draw.slice(0, draw.indexOf('('))));
    const names = [...FUNCTIONS.entries()].map(({ name }) => name).filter((name) => name.endsWith('_rng'));
    assert.deepEqual(
      names.filter((name) => !tested.has(name) && !name.startsWith('laplace_')),
      [],
    );
  });
});

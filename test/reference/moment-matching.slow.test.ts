import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { close, compile, RunError } from 'leapfrog';
import { ROOT } from '../project/tree.js';
import { MODELS, readDerivedLoo } from './derived-loo.js';
import { recordedFit } from './derived-loo-fit.js';

interface Matched {
  readonly name: string;
  readonly before: readonly number[];
  readonly paretoK: readonly number[];
  readonly elpd: readonly number[];
  readonly effectiveParameters: readonly number[];
  readonly estimate: number;
  readonly standardError: number;
}

/** `record-moment-matching.R` records it. */
const { cases }: { readonly cases: readonly Matched[] } = JSON.parse(
  readFileSync(join(ROOT, 'test/reference/moment-matching.json'), 'utf8'),
);
const draws = readDerivedLoo();

/** Tolerance: absolute up to 1, relative above. Each iteration transforms draws by moments that were estimated from weights. */
const TOLERANCE = 1e-7;

function same(actual: number, expected: number | undefined, what: string): void {
  const wanted = expected ?? Number.NaN;
  assert.ok(
    Math.abs(actual - wanted) <= TOLERANCE * Math.max(1, Math.abs(wanted)),
    `${what}: ${actual} is not ${wanted}`,
  );
}

describe('moment matching equals that of the R package loo', () => {
  after(() => close());

  for (const expected of cases) {
    const { name } = expected;
    it(name, async () => {
      const found = MODELS.find((each) => each.name === name);
      const recorded = draws.find((each) => each.name === name);
      assert.ok(found !== undefined && recorded !== undefined);
      const changed = expected.paretoK.filter((k, place) => k !== expected.before[place]);
      assert.ok(changed.length > 0, 'no observation was matched');
      const model = await compile(found.program);
      const loo = await model.loo(recordedFit(recorded), found.data, { momentMatch: true });
      loo.observations.forEach((observation, place) => {
        same(observation.paretoK, expected.paretoK[place], `Pareto k of ${observation.name}`);
        same(observation.elpd, expected.elpd[place], `elpd of ${observation.name}`);
        same(observation.effectiveParameters, expected.effectiveParameters[place], `p_loo of ${observation.name}`);
        assert.ok(observation.mcse > 0);
      });
      same(loo.elpd.estimate, expected.estimate, 'elpd');
      same(loo.elpd.standardError, expected.standardError, 'standard error');
    });
  }

  it('refuses draws of another program', async () => {
    const [recorded] = draws;
    assert.ok(recorded !== undefined);
    const other = await compile('data { int N; vector[N] y; } parameters { real c; } model { y ~ normal(c, 1); }');
    await assert.rejects(
      other.loo(recordedFit(recorded), { N: 1, y: [1] }, { momentMatch: true }),
      (error) => error instanceof RunError && /the draws lack the parameter c/.test(error.message),
    );
  });
});

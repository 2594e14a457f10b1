/**
 * The log densities of generated programs compared with those of brms and rstanarm for the same models and priors (`record-brms.R`,
 * `record-rstanarm.R`), up to a constant.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { families } from '../../src/formula/families.js';
import { modelFromFormula } from '../../src/formula/model.js';
import { compile, type Variables } from '../../src/node/library/index.js';
import { PUPILS } from './tables.js';

interface Recorded {
  /** Parameters without the prior of ours. */
  readonly flat: readonly string[];
  readonly cases: readonly {
    readonly family: string;
    readonly formula: string;
    readonly points: readonly [Variables, Variables];
    /** The log density of the second point minus that of the first. */
    readonly difference: number;
  }[];
}

function recordedBy(name: string): Recorded {
  return JSON.parse(readFileSync(new URL(`../../../test/formula/${name}.json`, import.meta.url), 'utf8'));
}

describe('log densities of models from formulas agree with those of', () => {
  for (const name of ['brms', 'rstanarm']) {
    const { cases, flat } = recordedBy(name);
    for (const { difference, family, formula, points } of cases)
      it(`${name}: ${family}, ${formula}`, async () => {
        const known = families.find((each) => each === family);
        assert.ok(known);
        const made = modelFromFormula({ formula, family: known, table: PUPILS, order: ['low', 'mid', 'high'] });
        assert.ok('program' in made, JSON.stringify(made));
        const program = made.program.replace(new RegExp(`^ {2}(?:${flat.join('|')}) ~ .*\\n`, 'gm'), '');
        const posterior = await (await compile(program)).on(made.data);
        const [first, second] = points.map((values) =>
          posterior.logDensity(posterior.unconstrain(values), { jacobian: false }),
        );
        const actual = second - first;
        assert.ok(
          Math.abs(actual - difference) < 1e-9 * Math.max(1, Math.abs(difference)),
          `${actual} instead of ${difference}`,
        );
      });
  }
});

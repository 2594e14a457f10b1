import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blocksComment, blocksInSettings, type DeclaredOutput } from '../formats/program-blocks.js';
import { csvSettings } from '../formats/stan-csv.js';
import type { Convergence } from '../inference/diagnostics/findings.js';
import { headlineOf } from '../requests/headlines.js';
import { type DiagnosedFit, diagnose, diagnosedColumns } from './diagnosis.js';

const OUTPUTS: readonly DeclaredOutput[] = [
  { name: 'mu', block: 'parameters' },
  { name: 'theta', block: 'transformed parameters' },
  { name: 'y', block: 'generated quantities' },
];
const FIT: DiagnosedFit = {
  function: 'hmc_nuts_diag_e_adapt',
  columns: ['lp__', 'energy__', 'mu', 'theta.1', 'y.1', 'y.2'],
  outputs: OUTPUTS,
  maximumDepth: undefined,
};

/** Diagnoses a fit whose chains agree, except for columns in `high`. */
function diagnosisOf(
  fit: DiagnosedFit,
  { high = [], missing = 0 }: { high?: readonly string[]; missing?: number } = {},
) {
  const convergence = (column: number): Convergence => {
    const name = fit.columns[column];
    return { name, rhat: high.includes(name) ? 1.2 : 1, essBulk: 900, essTail: 900, variation: 'within chains' };
  };
  return diagnose(fit, {
    reports: async (depth) => [{ chain: 1, draws: 1000, treedepthHits: depth === 10 ? 0 : 1000 }],
    convergence: async (columns) => columns.map(convergence),
    finiteness: async (columns) =>
      columns.map((column) => ({ name: fit.columns[column], draws: 1000, notFinite: missing })),
  });
}

describe('a diagnosis', () => {
  it('judges convergence of parameters and transformed parameters, with the usual depth if it is unknown', async () => {
    assert.deepEqual(diagnosedColumns(FIT), { judged: [0, 2, 3], generated: [4, 5] });
    const good = await diagnosisOf(FIT, { high: ['y.1'] });
    assert.ok(good.every(({ ok }) => ok));
    assert.equal(headlineOf(good), 'These draws can be relied on');
    const bad = await diagnosisOf(FIT, { high: ['theta.1'] });
    assert.deepEqual(
      bad.filter(({ ok }) => !ok).map(({ concerns }) => concerns[0]?.name),
      ['theta.1'],
    );
    assert.equal(headlineOf(bad), 'These draws should not be relied on yet');
  });

  it('judges all columns if the blocks are unknown', async () => {
    const bad = await diagnosisOf({ ...FIT, outputs: [] }, { high: ['y.1'] });
    assert.deepEqual(
      bad.filter(({ ok }) => !ok).map(({ check }) => check),
      ['rhat'],
    );
  });

  it('reports values of generated quantities that are not finite, and then never relies on the draws', async () => {
    const found = await diagnosisOf(FIT, { missing: 300 });
    const [problem, ...others] = found.filter(({ ok }) => !ok);
    assert.equal(others.length, 0);
    assert.match(problem.message, /^y\.1: 300 of 1000 draws are NaN or infinite\. y\.2: 300 of 1000 draws/);
    assert.equal(headlineOf(found), 'Some quantities have no usable values');
    const many = { ...FIT, columns: [...FIT.columns, ...Array.from({ length: 9 }, (_, k) => `y.${k + 3}`)] };
    const message = (await diagnosisOf(many, { missing: 1 })).find(({ ok }) => !ok)?.message ?? '';
    assert.match(message, /6 more quantities have draws that are NaN or infinite/);
  });

  it('has no checks of a sampler for simulations', async () => {
    const only = OUTPUTS.filter(({ block }) => block === 'generated quantities');
    const simulated = { ...FIT, columns: ['lp__', 'y.1', 'y.2'], outputs: only };
    for (const fit of [simulated, { ...simulated, outputs: [], function: 'stan::services::sample::fixed_param' }]) {
      const found = await diagnosisOf(fit, { high: ['y.1'] });
      assert.deepEqual(
        found.map(({ check, ok }) => [check, ok]),
        [['simulations', true]],
      );
      assert.equal(headlineOf(found), '1000 simulations');
      assert.equal(headlineOf(await diagnosisOf(fit, { missing: 1 })), 'Some quantities have no usable values');
    }
  });
});

describe('blocks of variables', () => {
  it('round-trip through the head of a CSV file', () => {
    const comment = blocksComment(OUTPUTS);
    assert.equal(comment, '# blocks = parameters: mu; transformed parameters: theta; generated quantities: y\n');
    assert.deepEqual(blocksInSettings(csvSettings(comment.trimEnd().split('\n'))), OUTPUTS);
    assert.deepEqual(blocksInSettings(csvSettings(['# model = m', '# method = sample'])), []);
  });
});

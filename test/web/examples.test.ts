import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { analyze } from '../../src/analyze.js';
import { findings } from '../../src/inference/diagnostics/findings.js';
import { summarize } from '../../src/inference/diagnostics/summary.js';
import { close, compile } from '../../src/node/library/index.js';
import { variableOf } from '../../src/run/columns.js';
import { ROOT } from '../project/tree.js';

const FOLDER = join(ROOT, 'web', 'src', 'examples');
const listed = [...readFileSync(join(FOLDER, 'list.ts'), 'utf8').matchAll(/folder: '([^']+)'/g)].map(
  ([, name]) => name,
);

/** Made to show what goes wrong. */
const UNRELIABLE: ReadonlySet<string> = new Set(['eight-schools-centered']);
/** As the list of examples gives it. */
const DELTA: Readonly<Record<string, number>> = { 'eight-schools': 0.95 };

describe("the workbench's examples", () => {
  after(() => close());

  it('are twelve or more, each listed', () => {
    const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(listed.toSorted(), folders.map(({ name }) => name).toSorted());
    assert.ok(listed.length >= 12);
  });

  for (const folder of listed) {
    const read = (name: string) => readFileSync(join(FOLDER, folder, name), 'utf8');

    it(`${folder} is formatted, has nothing to warn of, and a paragraph`, () => {
      const program = read('model.stan');
      const { errors, warnings, formatted } = analyze(program, { pedantic: true });
      assert.deepEqual(
        [...errors, ...warnings].map(({ message }) => message),
        [],
      );
      assert.equal(formatted, program);
      assert.ok(read('about.md').length > 100);
    });

    it(`${folder} ${UNRELIABLE.has(folder) ? 'shows divergences' : 'can be relied on as it stands'}`, async () => {
      const model = await compile(read('model.stan'));
      const data = read('data.json');
      const fit = await model.sample({ data, num_chains: 4, random_seed: 1, delta: DELTA[folder] }).result();
      const generated = Object.keys(analyze(read('model.stan')).info?.['generated quantities'] ?? {});
      const judged = fit.columns.filter(
        (name) => (name === 'lp__' || !name.endsWith('__')) && !generated.includes(variableOf(name)),
      );
      const divergences = fit.column('divergent__').map((chain) => chain.filter((value) => value > 0).length);
      const sampler = fit.chains.map(({ id, draws }, index) => ({ chain: id, draws, divergences: divergences[index] }));
      const quantities = judged.map((name) => ({ name, ...summarize(fit.column(name)) }));
      const problems = findings(sampler, quantities, undefined).filter(({ ok }) => !ok);
      if (UNRELIABLE.has(folder)) assert.ok(problems.some(({ check }) => check === 'divergences'));
      else
        assert.deepEqual(
          problems.map(({ message }) => message),
          [],
        );
    });
  }
});

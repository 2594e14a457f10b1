import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { close, compile } from '../../src/node/library/index.js';
import { ROOT } from '../project/tree.js';

const FOLDER = join(ROOT, 'web', 'src', 'examples');
const list = readFileSync(join(FOLDER, 'list.ts'), 'utf8');

/** The folders of the examples, with the value of delta that each sets. */
const listed = list
  .split("folder: '")
  .slice(1)
  .map((row) => ({
    folder: row.slice(0, row.indexOf("'")),
    delta: Number(/delta: ([\d.]+)/.exec(row)?.[1] ?? 0.8),
  }));

/** Intended to show problems. */
const UNRELIABLE: ReadonlySet<string> = new Set(['eight-schools-centered']);

describe("the workbench's examples, run unchanged", () => {
  after(() => close());

  for (const { folder, delta } of listed) {
    it(`${folder} ${UNRELIABLE.has(folder) ? 'shows divergences' : 'can be relied on'}`, async () => {
      const model = await compile(readFileSync(join(FOLDER, folder, 'model.stan'), 'utf8'));
      const data = readFileSync(join(FOLDER, folder, 'data.json'), 'utf8');
      const fit = await model.sample({ data, num_chains: 4, random_seed: 1, delta }).result();
      const problems = (await fit.diagnose()).filter(({ ok }) => !ok);
      if (UNRELIABLE.has(folder)) assert.ok(problems.some(({ check }) => check === 'divergences'));
      else
        assert.deepEqual(
          problems.map(({ message }) => message),
          [],
        );
    });
  }
});

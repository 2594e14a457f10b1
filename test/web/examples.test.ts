import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { analyze } from '../../src/analyze.js';
import { close, compile } from '../../src/node/library/index.js';
import { ROOT } from '../project/tree.js';

const FOLDER = join(ROOT, 'web', 'src', 'examples');
const listed = [...readFileSync(join(FOLDER, 'list.ts'), 'utf8').matchAll(/folder: '([^']+)'/g)].map(
  ([, name]) => name,
);

describe("the workbench's examples", () => {
  after(() => close());

  it('are twelve or more, each listed', () => {
    const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(listed.toSorted(), folders.map(({ name }) => name).toSorted());
    assert.ok(listed.length >= 12);
  });

  it('have pictures of their posteriors, with whole coordinates', () => {
    const rows = readFileSync(join(FOLDER, 'pictures.generated.ts'), 'utf8').split('\n');
    const pictured = rows.flatMap((row) => /^ {2}'?([a-z-]+)'?: \[$/.exec(row)?.[1] ?? []);
    assert.deepEqual(pictured.toSorted(), listed.toSorted());
    const paths = rows.flatMap((row) => /'(M[^']*)'/.exec(row)?.[1] ?? []);
    assert.ok(paths.length > pictured.length);
    for (const path of paths) assert.match(path, /^[Mlhvz\d, -]+$/);
  });

  it('begin with a line whose true numbers are in the 90 % intervals', async () => {
    const read = (name: string) => readFileSync(join(FOLDER, 'line', name), 'utf8');
    const [, ...truth] =
      /about the line ([\d.]+) \+ ([\d.]+) x with a standard deviation of ([\d.]+)\./.exec(read('about.md')) ?? [];
    const model = await compile(read('model.stan'));
    const fit = await model.sample({ data: read('data.json'), random_seed: 1 }).result();
    for (const [index, name] of ['alpha', 'beta', 'sigma'].entries()) {
      const draws = fit.column(name).flatMap((chain) => [...chain]);
      const above = draws.filter((draw) => draw > Number(truth[index])).length / draws.length;
      assert.ok(above > 0.05 && above < 0.95, `${name}: ${above} of the draws are above ${truth[index]}`);
    }
  });

  for (const folder of listed) {
    const read = (name: string) => readFileSync(join(FOLDER, folder, name), 'utf8');

    it(`${folder} is formatted, has no warnings, and has a description`, () => {
      const program = read('model.stan');
      const { errors, warnings, formatted } = analyze(program, { pedantic: true });
      assert.deepEqual(
        [...errors, ...warnings].map(({ message }) => message),
        [],
      );
      assert.equal(formatted, program);
      assert.ok(read('about.md').length > 100);
    });

    it(`${folder} runs on its data`, async () => {
      const model = await compile(read('model.stan'));
      const fit = await model
        .sample({ data: read('data.json'), random_seed: 1, num_warmup: 20, num_samples: 10 })
        .result();
      assert.equal(fit.column('lp__')[0].filter(Number.isFinite).length, 10);
    });
  }
});

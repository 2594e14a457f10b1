/** The bundles of scripts/build-bundle.mjs, in a folder with the layout of an installed package. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../project/tree.js';

const run = promisify(execFile);
const PROGRAM = 'parameters { real x; }\nmodel { x ~ std_normal(); }\n';
/** The position in a stored file of the number of processes that have extended it. */
const GENERATION = 4;
/** The number of processes that extend it. */
const LAST_GENERATION = 4;

describe('the bundles', () => {
  let home: string;
  const built = () => join(home, 'build', 'bundle');
  const cache = () => join(home, 'cache');
  before(() => {
    home = mkdtempSync(join(tmpdir(), 'leapfrog-bundle-'));
    mkdirSync(join(home, 'build'));
    copyFileSync(join(ROOT, 'package.json'), join(home, 'package.json'));
    for (const name of ['kernels.json', 'linear.wasm', 'math.wasm', 'text.wasm']) {
      copyFileSync(join(ROOT, 'build', name), join(home, 'build', name));
    }
    build(built());
    writeFileSync(join(home, 'model.stan'), PROGRAM);
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  const build = (folder: string) =>
    execFileSync(process.execPath, ['scripts/build-bundle.mjs', '--folder', folder], { cwd: ROOT });

  const leapfrog = (...words: readonly string[]) => {
    const env = { ...process.env, LEAPFROG_CODE_CACHE: cache() };
    return run(process.execPath, [join(built(), 'main.cjs'), ...words], { cwd: home, env });
  };

  const sample = async () => {
    await leapfrog('sample', 'model.stan', '--seed', '1', '--output', 'draws.csv');
    return readFileSync(join(home, 'draws.csv'), 'utf8').replaceAll(/^#.*$/gm, '');
  };

  it('are reproducible to the byte', () => {
    const second = join(home, 'second');
    build(second);
    const names = readdirSync(built()).sort();
    assert.deepEqual(readdirSync(second).sort(), names);
    for (const name of names) {
      assert.ok(readFileSync(join(second, name)).equals(readFileSync(join(built(), name))), name);
    }
  });

  it('produce the same draws with and without stored code, which few processes extend', async () => {
    const first = await sample();
    const generations = () => readdirSync(cache()).map((name) => readFileSync(join(cache(), name))[GENERATION]);
    /** Samples until the stored code fulfills a condition: on a busy machine, a thread may end before it has stored its code. */
    const sampleUntil = async (condition: () => boolean) => {
      for (let runs = 0; runs < 20 && !condition(); runs++) assert.equal(await sample(), first);
    };
    await sampleUntil(() => generations().length === 2 && generations().every((each) => each >= LAST_GENERATION));
    assert.equal(await sample(), first);
    assert.deepEqual(generations(), [LAST_GENERATION, LAST_GENERATION]);
    const stored = readdirSync(cache());
    assert.deepEqual(stored.map((name) => name.split('-')[0]).sort(), ['main', 'worker']);
    for (const name of stored) writeFileSync(join(cache(), name), 'damaged');
    const isNew = () => generations().every((each) => each <= LAST_GENERATION);
    assert.ok(!isNew());
    assert.equal(await sample(), first);
    await sampleUntil(isNew);
    assert.ok(isNew(), `${generations()}`);
  });

  it('keep names of functions for stack traces', () => {
    const code = readFileSync(join(built(), 'engine-bundle.cjs'), 'utf8');
    for (const name of ['inProcessEngine', 'runFunction']) assert.match(code, new RegExp(`^function ${name}\\(`, 'm'));
  });

  it('start if the package is read-only and there is no folder for code', async () => {
    const copy = join(home, 'copy');
    cpSync(built(), join(copy, 'build', 'bundle'), { recursive: true });
    copyFileSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
    const env = { ...process.env, LEAPFROG_CODE_CACHE: '/dev/null/code' };
    const { stdout } = await run(process.execPath, [join(copy, 'build', 'bundle', 'main.cjs'), '--version'], { env });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });
});

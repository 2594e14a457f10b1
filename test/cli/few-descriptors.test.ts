/** Commands with a low limit of open files: they either run or report the limit in one line. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CommandFolder } from './command.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const hasUlimit = spawnSync('sh', ['-c', 'ulimit -n 64'], { stdio: 'ignore' }).status === 0;

describe('a limit of few file descriptors', {
  skip: hasUlimit ? false : 'the limit of open files cannot be set here',
}, () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'model.stan': 'parameters { real x; } model { x ~ std_normal(); }' });
  });
  after(() => place.remove());

  const sample = (files: number) => {
    const command = `ulimit -n ${files}; exec "${process.execPath}" "${MAIN}" sample model.stan --chains 2 --num-samples 20 --output a.csv`;
    return spawnSync('sh', ['-c', command], { cwd: place.folder, encoding: 'utf8' });
  };

  it('is reported in one line if the engine cannot be loaded, as without bundles', () => {
    const { status, stderr } = sample(64);
    if (status !== 0) assert.match(stderr, /^error: too many open files; raise the limit/m);
    assert.doesNotMatch(stderr, /\n +at /);
  });

  it('suffices at 256', () => {
    const { status, stderr } = sample(256);
    assert.equal(status, 0, stderr);
  });
});

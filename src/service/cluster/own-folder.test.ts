import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { it } from 'node:test';
import { makeOwnFolder } from './own-folder.js';

it('the folder of a killed process is removed, even one from before the clock was set back; a folder in use or a new one is not', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'leapfrog-own-folders-'));
  const old = new Date(Date.now() - 3_600_000);
  const used = await makeOwnFolder(parent);
  await utimes(used.path, old, old);
  const abandoned = join(parent, 'leapfrog-fits-killed');
  await mkdir(abandoned);
  await writeFile(join(abandoned, 'fit'), 'draws');
  await utimes(abandoned, old, old);
  const future = join(parent, 'leapfrog-fits-future');
  await mkdir(future);
  const later = new Date(Date.now() + 365 * 24 * 3_600_000);
  await utimes(future, later, later);
  const young = join(parent, 'leapfrog-fits-young');
  await mkdir(young);
  await writeFile(join(parent, 'another'), 'of another process');

  const own = await makeOwnFolder(parent);
  const left = [basename(used.path), basename(own.path), basename(young), 'another'];
  assert.deepEqual((await readdir(parent)).sort(), left.sort());
  await Promise.all([used.release(), own.release()]);
  assert.deepEqual((await readdir(parent)).sort(), [basename(young), 'another'].sort());
  await rm(parent, { recursive: true });
});

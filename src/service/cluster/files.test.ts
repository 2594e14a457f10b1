import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DamagedFile } from '../../fit-files/checksums.js';
import { whenWhole } from './files.js';

it('a damaged value is not read again by the read that contains it', async (context) => {
  let elapsed = 0;
  context.mock.method(performance, 'now', () => elapsed);
  let reads = 0;
  const read = async () => {
    reads++;
    elapsed += 6000;
    throw new DamagedFile('value');
  };
  await assert.rejects(
    whenWhole(() => whenWhole(read)),
    DamagedFile,
  );
  assert.equal(reads, 2);
});

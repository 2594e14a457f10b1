import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { followFit, type Making } from './fit-stream.js';
import { JournalWriter } from './fits/journal.js';

describe('a fit that is being made', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-follow-'));
    for (const chain of [1, 2]) {
      const journal = new JournalWriter(join(folder, `chain-${chain}.journal`), {
        drawNames: [],
        diagnosticNames: [],
        chain,
      });
      journal.addLine(`chain ${chain}\n`);
      journal.close();
    }
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** What is sent; undefined when it must be read as a finished one. */
  async function followed(end: Making = 'finished'): Promise<string | undefined> {
    let asked = 0;
    const stream = await followFit(folder, 'string', () => (asked++ > 0 ? end : 'going on'));
    return stream && (await stream.toArray()).join('');
  }

  test('is followed in every chain', async () => {
    assert.equal(await followed(), 'chain 1\nchain 2\n');
  });

  test('breaks the stream off when it is given up', async () => {
    await assert.rejects(followed('given up'), /given up/);
  });

  test('is not followed once its journals go, as it is nearly made', async () => {
    await writeFile(join(folder, 'fit.json'), '{}');
    await rm(join(folder, 'chain-1.journal'));
    assert.equal(await followed(), undefined);
  });
});

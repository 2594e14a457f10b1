import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { writeChainFiles } from './chain-writer.js';
import { JournalWriter } from './journal.js';
import { chainFile } from './layout.js';
import { replayChain } from './replay.js';

it('a chain is replayed while the files of other chains in its folder are incomplete', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-replay-'));
  try {
    const journal = new JournalWriter(chainFile(folder, 2, 'journal'), { drawNames: ['x'], diagnosticNames: [] });
    for (const x of [1, 2, 3]) {
      journal.addNumbers('draw', Float64Array.of(x));
      if (x === 1) journal.addAdaptation();
    }
    journal.close();
    writeChainFiles(folder, 2, false);
    writeFileSync(chainFile(folder, 1, 'json'), '{"id":1');
    const events: unknown[] = [];
    for await (const record of replayChain(folder, 2))
      if (record.kind !== 'header') events.push(record.kind === 'draw' ? record.values[0] : record.kind);
    assert.deepEqual(events, [1, 'adaptation', 2, 3]);
    await assert.rejects(async () => {
      for await (const _ of replayChain(folder, 3)) assert.fail('a missing chain has records');
    }, /there is no chain 3/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

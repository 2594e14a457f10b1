import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { RunningOperations } from '../../src/service/jobs/running-operations.js';
import { DiskStore } from '../../src/service/store/disk-store.js';
import { sampleRecord } from './pairs/records.js';

describe('a running operation', () => {
  it('keeps its model until its end is recorded, even if work remains', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'leapfrog-running-'));
    const store = await DiskStore.open(folder);
    const running = new RunningOperations(store, undefined, pino({ level: 'silent' }));
    const record = sampleRecord();
    const { id, modelId } = record;
    const model = { resource: '{}', source: { program: '', includes: {} }, artifact: '{}', wasm: new Uint8Array(8) };
    await store.models.save(modelId, 'engine', model);

    const end: (() => void)[] = [];
    running.launch(record, () => new Promise((resolve) => end.push(() => resolve(true))));
    await store.clear();
    assert.ok(await store.models.has(modelId));
    running.noteRecorded(id);
    await store.clear();
    assert.ok(!(await store.models.has(modelId)));

    for (const each of end) each();
    await store.close();
    await rm(folder, { recursive: true });
  });
});

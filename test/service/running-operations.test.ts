import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { RecordedOperations } from '../../src/service/jobs/recorded-operations.js';
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

  it('is listed once, as finished, from the moment that its end is recorded', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'leapfrog-running-'));
    const store = await DiskStore.open(folder);
    const logger = pino({ level: 'silent' });
    const running = new RunningOperations(store, undefined, logger);
    const recorded = new RecordedOperations(store, undefined, logger);
    const record = sampleRecord();
    const { id } = record;
    const unfinished = () => running.list().map((listed) => listed.id);
    const finished = async () => (await recorded.list((other) => running.has(other))).map((listed) => listed.id);

    const end: (() => void)[] = [];
    running.launch(record, () => new Promise((resolve) => end.push(() => resolve(true))));
    assert.ok(await recorded.accept(record));
    assert.deepEqual([unfinished(), await finished()], [[id], []]);
    await recorded.conclude(record, undefined, () => running.noteRecorded(id));
    assert.ok(running.has(id));
    assert.deepEqual([unfinished(), await finished()], [[], [id]]);

    for (const each of end) each();
    await store.close();
    await rm(folder, { recursive: true });
  });
});

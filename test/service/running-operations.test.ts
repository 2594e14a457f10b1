import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { RecordedOperations } from '../../src/service/operations/recorded-operations.js';
import { RunningOperations } from '../../src/service/operations/running-operations.js';
import { UnfinishedOperations } from '../../src/service/operations/unfinished-operations.js';
import { MemoryQueue } from '../../src/service/queue/memory-queue.js';
import { DiskStore } from '../../src/service/store/disk-store.js';
import { writeRecord } from '../../src/service/store/operation-record.js';
import type { Store } from '../../src/service/store/store.js';
import { over } from './over.js';
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

  it('is listed once, as finished, as soon as its end is recorded', async () => {
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
    await recorded.conclude(record, undefined, { onRecorded: () => running.noteRecorded(id) });
    assert.ok(running.has(id));
    assert.deepEqual([unfinished(), await finished()], [[], [id]]);

    for (const each of end) each();
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('has ended as soon as any process has recorded its end, even before this process is notified', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'leapfrog-running-'));
    const disk = await DiskStore.open(folder);
    const store = over<Store>(disk, { isShared: true });
    const logger = pino({ level: 'silent' });
    const running = new RunningOperations(store, undefined, logger);
    const recorded = new RecordedOperations(store, undefined, logger);
    const unfinished = new UnfinishedOperations(running, recorded, new MemoryQueue());
    const record = sampleRecord();
    const { id } = record;

    const end: (() => void)[] = [];
    running.launch(record, () => new Promise((resolve) => end.push(() => resolve(true))));
    assert.equal((await unfinished.findHere(id))?.done, false);
    const earlier = { ...record, created: new Date(0).toISOString() };
    await disk.operations.save('ended', id, writeRecord(earlier));
    assert.equal((await unfinished.findHere(id))?.done, false);
    await disk.operations.save('ended', id, writeRecord({ ...record, ended: record.created }));
    assert.equal(await unfinished.findHere(id), undefined);
    assert.equal((await recorded.find(id))?.done, true);

    for (const each of end) each();
    await disk.close();
    await rm(folder, { recursive: true });
  });
});

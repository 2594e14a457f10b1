import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { problems } from '../../src/service/errors.js';
import { endedNow, RecordedOperations } from '../../src/service/operations/recorded-operations.js';
import { DiskStore } from '../../src/service/store/disk-store.js';
import { writeRecord } from '../../src/service/store/operation-record.js';
import { LostStore, type Store } from '../../src/service/store/store.js';
import { over } from './over.js';
import { sampleRecord } from './pairs/records.js';

const silent = pino({ level: 'silent' });

describe('abandoned operations', () => {
  let folder: string;
  let disk: DiskStore;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-left-'));
    disk = await DiskStore.open(folder);
  });
  after(async () => {
    await disk.close();
    await rm(folder, { recursive: true });
  });

  const claimed = new Set<string>();
  /** The unreachable parts of the store. */
  let away: 'nothing' | 'records' | 'fits';
  beforeEach(() => {
    claimed.clear();
    away = 'nothing';
  });

  /** A shared store, parts of which are temporarily unreachable. */
  function shared(): Store {
    const { operations, fits } = disk;
    const loseWhen = (what: typeof away) => {
      if (away === what) throw new LostStore('away');
    };
    const claim = async (id: string) => !claimed.has(id) && claimed.add(id).has(id);
    const overOperations: Partial<Store['operations']> = {
      claim,
      adopt: claim,
      release: async (id) => void claimed.delete(id),
      read: async (state, id) => {
        loseWhen('records');
        return operations.read(state, id);
      },
      remove: async (state, id) => {
        loseWhen('records');
        return operations.remove(state, id);
      },
    };
    const overFits: Partial<Store['fits']> = {
      readRecord: async (modelId, id) => {
        loseWhen('fits');
        return fits.readRecord(modelId, id);
      },
    };
    return over<Store>(disk, {
      isShared: true,
      operations: over<Store['operations']>(operations, overOperations),
      fits: over<Store['fits']>(fits, overFits),
    });
  }

  for (const part of ['records', 'fits'] as const) {
    it(`are run by the process that finds them if their ${part} could not be read before`, async () => {
      const records = [sampleRecord(), sampleRecord()];
      for (const record of records) await disk.operations.save('running', record.id, writeRecord(record));
      const recorded = new RecordedOperations(shared(), undefined, silent);
      away = part;
      assert.deepEqual(await recorded.unfinished(() => false), []);
      assert.deepEqual([...claimed], []);
      away = 'nothing';
      const found = (await recorded.unfinished(() => false)).map(({ id }) => id);
      assert.deepEqual(
        found.filter((id) => records.some((record) => record.id === id)).sort(),
        records.map(({ id }) => id).sort(),
      );
      for (const { id } of records) await recorded.withdraw(id);
    });
  }

  it('are found even if they end during the search', async () => {
    const record = sampleRecord();
    const text = writeRecord(record);
    await disk.operations.save('running', record.id, text);
    const ending: Partial<Store['operations']> = {
      read: async (state, id) => {
        const found = await disk.operations.read(state, id);
        if (state === 'ended' && found === undefined) {
          await disk.operations.save('ended', id, text);
          await disk.operations.remove('running', id);
        }
        return found;
      },
    };
    const store = over<Store>(disk, { operations: over<Store['operations']>(disk.operations, ending) });
    const found = await new RecordedOperations(store, undefined, silent).find(record.id);
    assert.equal(found?.name, `operations/${record.id}`);
  });

  it('keep the end that another process has recorded', async () => {
    const record = sampleRecord();
    const recorded = new RecordedOperations(shared(), undefined, silent);
    assert.ok(await recorded.accept(record));
    const cancelled = problems.cancelled();
    await disk.operations.save('ended', record.id, writeRecord({ ...endedNow(record), error: cancelled.body() }));
    const ended = await recorded.conclude(record, undefined, { mayHaveEnded: true });
    assert.equal(ended.error?.code, cancelled.code);
    assert.equal((await recorded.find(record.id))?.result?.code, cancelled.code);
    assert.deepEqual([...claimed], []);
  });

  it('belong to another process only after their remains have been removed', async () => {
    const record = sampleRecord();
    const recorded = new RecordedOperations(shared(), undefined, silent);
    assert.ok(await recorded.accept(record));
    const seen: unknown[] = [];
    await recorded.conclude(record, problems.cancelled(), {
      beforeRelease: async () => {
        seen.push((await recorded.find(record.id))?.done, claimed.has(record.id));
      },
    });
    assert.deepEqual(seen, [true, true]);
    assert.deepEqual([...claimed], []);
  });

  it('have no owner if an accepted request could not be reverted', async () => {
    const recorded = new RecordedOperations(shared(), undefined, silent);
    const record = sampleRecord();
    assert.ok(await recorded.accept(record));
    away = 'records';
    await assert.rejects(recorded.withdraw(record.id), LostStore);
    assert.deepEqual([...claimed], []);
  });
});

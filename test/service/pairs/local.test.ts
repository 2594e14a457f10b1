import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { MemoryQueue } from '../../../src/service/queue/memory-queue.js';
import { DiskStore } from '../../../src/service/store/disk-store.js';
import { queueContract } from './queue-contract.js';
import { storeContract } from './store-contract.js';

const LEASE_TIME = 100;

queueContract('in memory', false, async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const queue = new MemoryQueue(LEASE_TIME);
  const record = async () => undefined;
  const pass = async (milliseconds: number) => {
    await setImmediate();
    mock.timers.tick(milliseconds);
  };
  const close = async () => {
    await queue.close();
    mock.timers.reset();
  };
  return { leaseTime: LEASE_TIME, pass, asking: queue, working: queue, record, close };
});

storeContract('on a disk', false, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leapfrog-store-'));
  const store = await DiskStore.open(folder);
  const close = async () => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { one: store, other: store, close };
});

import { MemoryQueue } from '../../../src/service/queue/memory-queue.js';
import { queueContract } from './queue-contract.js';

const LEASE_TIME = 100;

queueContract('in memory', false, async () => {
  const queue = new MemoryQueue(LEASE_TIME);
  return { leaseTime: LEASE_TIME, asking: queue, working: queue, close: () => queue.close() };
});

import type { FastifyBaseLogger } from 'fastify';
import { problems } from '../errors.js';
import type { ChainResult, Queue } from '../queue/queue.js';
import { DamagedFile } from '../store/checksums.js';
import { LostStore } from '../store/store.js';
import { JobStopped } from './job-stopped.js';
import type { ChainRecord, OperationRecord } from './operation-record.js';

/** A listener for the progress of chains. */
export interface ChainListener {
  /** A chain of an operation has progressed. `what`: changed fields of its record. */
  note(record: OperationRecord, chain: ChainRecord, what: Partial<ChainRecord>): void;
  countGradients(count: number): void;
  noteDamage(path: string): void;
}

/** Runs the chains of operations by the workers of a queue. */
export class ChainRuns {
  private readonly queue: Queue;
  /** Milliseconds from the start of the first chain; undefined for no limit. */
  private readonly timeLimit: number | undefined;
  private readonly listener: ChainListener;
  private readonly logger: FastifyBaseLogger;

  constructor(queue: Queue, timeLimit: number | undefined, listener: ChainListener, logger: FastifyBaseLogger) {
    this.queue = queue;
    this.timeLimit = timeLimit;
    this.listener = listener;
    this.logger = logger;
  }

  /**
   * Runs all chains within the time limit of an operation. If one fails, the others are stopped and its error is thrown. Results are
   * available until the operation is removed from the queue.
   */
  async run(record: OperationRecord, controller: AbortController): Promise<void> {
    if (controller.signal.aborted) throw new JobStopped('cancelled');
    const failures: unknown[] = [];
    const fail = (error: unknown) => {
      failures.push(error);
      if (!isLeftBehind(error)) controller.abort();
    };
    const { timeLimit } = this;
    let limit: NodeJS.Timeout | undefined;
    const begin = () => {
      if (timeLimit !== undefined) limit ??= setTimeout(() => fail(new JobStopped('time')), timeLimit);
    };
    const remove = () => this.queue.remove(record.id).catch((error) => this.logger.warn(error, 'chains are left'));
    controller.signal.addEventListener('abort', remove, { once: true });
    const ended = record.chains.map((_, index) => this.runChain(record, index, begin).catch(fail));
    await Promise.all(ended);
    clearTimeout(limit);
    controller.signal.removeEventListener('abort', remove);
    if (failures.length > 0) throw failures[0];
  }

  private async runChain(record: OperationRecord, index: number, begin: () => void): Promise<void> {
    const { listener } = this;
    const chain = record.chains[index];
    let gradients = 0;
    const result = await this.queue.run(
      { record, index },
      {
        onStart: () => {
          begin();
          gradients = 0;
          listener.note(record, chain, { state: 'running' });
        },
        onProgress: ({ gradients: evaluated, ...progress }) => {
          listener.countGradients(evaluated - gradients);
          gradients = evaluated;
          listener.note(record, chain, progress);
        },
      },
    );
    const { adaptation } = this.requireFinished(result);
    listener.note(record, chain, { state: 'done', ...(adaptation !== undefined && { adaptation }) });
  }

  private requireFinished(result: ChainResult): Extract<ChainResult, { kind: 'finished' }> {
    if (result.kind === 'finished') return result;
    if (result.kind === 'refused') throw problems.refused(result.message);
    if (result.kind === 'disk full') throw problems.diskFull();
    if (result.kind === 'damaged') {
      this.listener.noteDamage(result.path);
      throw new DamagedFile(result.path);
    }
    if (result.kind === 'shortage') throw problems.noMemory();
    if (result.kind === 'stopped') throw new JobStopped(result.reason, new Error(result.message));
    this.logger.error({ report: result }, 'a chain failed');
    throw problems.internal();
  }
}

/** Whether a chain is left to another process that continues its operation, or to a repeated request. */
function isLeftBehind(error: unknown): boolean {
  return error instanceof LostStore || (error instanceof JobStopped && error.reason === 'closed');
}

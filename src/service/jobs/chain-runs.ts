import type { FastifyBaseLogger } from 'fastify';
import { problems } from '../errors.js';
import { DamagedFile } from '../store/checksums.js';
import type { ChainRecord, OperationRecord } from './operation-record.js';
import { JobStopped, type WorkerPool } from './pool.js';
import type { ChainJob, JobResult } from './protocol.js';

/** What the chains of an operation run on. */
export type ChainGround = Pick<ChainJob, 'model' | 'inputs' | 'folder'>;

/** Who is told how far chains are. */
export interface ChainListener {
  /** A chain of an operation has got further: this is new of its record. */
  note(record: OperationRecord, chain: ChainRecord, what: Partial<ChainRecord>): void;
  countGradients(count: number): void;
  noteDamage(path: string): void;
}

/** Runs the chains of operations in worker threads. */
export class ChainRuns {
  private readonly pool: WorkerPool;
  /** Milliseconds from when the first chain runs; no limit when undefined. */
  private readonly timeLimit: number | undefined;
  private readonly listener: ChainListener;
  private readonly logger: FastifyBaseLogger;

  constructor(pool: WorkerPool, timeLimit: number | undefined, listener: ChainListener, logger: FastifyBaseLogger) {
    this.pool = pool;
    this.timeLimit = timeLimit;
    this.listener = listener;
    this.logger = logger;
  }

  /** Runs every chain, all in the time of an operation. The first that fails ends the others, and its error is thrown. */
  async run(record: OperationRecord, on: ChainGround, controller: AbortController): Promise<void> {
    const failures: unknown[] = [];
    const fail = (error: unknown) => {
      failures.push(error);
      controller.abort();
    };
    const { timeLimit } = this;
    let limit: NodeJS.Timeout | undefined;
    const begin = () => {
      if (timeLimit !== undefined) limit ??= setTimeout(() => fail(new JobStopped('time')), timeLimit);
    };
    const ended = record.chains.map((chain) => this.runChain(record, chain, on, controller.signal, begin).catch(fail));
    await Promise.all(ended);
    clearTimeout(limit);
    if (failures.length > 0) throw failures[0];
  }

  private async runChain(
    record: OperationRecord,
    chain: ChainRecord,
    on: ChainGround,
    signal: AbortSignal,
    begin: () => void,
  ): Promise<void> {
    const { listener } = this;
    const job: ChainJob = {
      kind: 'chain',
      ...on,
      data: record.data ?? '{}',
      algorithm: record.function,
      arguments: { ...record.arguments, chain: chain.chain },
      seed: record.seed,
      chain: chain.chain,
      index: record.chains.indexOf(chain),
      ...(record.save !== undefined && { save: record.save }),
      tagged: record.chains.length > 1,
    };
    let gradients = 0;
    const result = await this.pool.run(job, {
      signal,
      share: record.id,
      onStart: () => {
        begin();
        listener.note(record, chain, { state: 'running' });
      },
      onProgress: ({ gradients: evaluated, ...progress }) => {
        listener.countGradients(evaluated - gradients);
        gradients = evaluated;
        listener.note(record, chain, progress);
      },
    });
    const { adaptation } = this.requireFinished(result);
    listener.note(record, chain, { state: 'done', ...(adaptation !== undefined && { adaptation }) });
  }

  private requireFinished(result: JobResult): Extract<JobResult, { kind: 'finished' }> {
    if (result.kind === 'finished') return result;
    if (result.kind === 'refused') throw problems.refused(result.message);
    if (result.kind === 'disk full') throw problems.diskFull();
    if (result.kind === 'damaged') {
      this.listener.noteDamage(result.path);
      throw new DamagedFile(result.path);
    }
    if (result.kind === 'shortage') throw problems.noMemory();
    this.logger.error({ report: result }, 'a chain failed');
    throw problems.internal();
  }
}

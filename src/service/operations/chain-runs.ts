import type { FastifyBaseLogger } from 'fastify';
import { DamagedFile } from '../../fit-files/checksums.js';
import { runChains } from '../../fits/execute.js';
import { problems, type ServiceError, storageProblem } from '../errors.js';
import { isLastBlock, storedBlocks } from '../queue/blocks.js';
import type { ChainBlock, ChainResult, ChainTask, Queue } from '../queue/queue.js';
import { planOf } from '../store/operation-plan.js';
import type { ChainRecord, OperationRecord } from '../store/operation-record.js';
import { LostStore } from '../store/store.js';
import { JobStopped } from '../threads/job-stopped.js';
import type { BlockRuns, EndedBlock } from './block-runs.js';
import { spaceError } from './disk-guard.js';

/** A listener for the progress of chains. */
export interface ChainListener {
  /** Called when a chain of an operation has progressed, with the changed fields of its record. */
  note(record: OperationRecord, chain: ChainRecord, what: Partial<ChainRecord>): void;
  countGradients(count: number): void;
  noteDamage(path: string): void;
}

/** Submits the chains of operations to a queue and waits for them. */
export class ChainRuns {
  private readonly queue: Queue;
  private readonly blocks: BlockRuns;
  /** Milliseconds from the start of the first chain; undefined for no limit. */
  private readonly timeLimit: number | undefined;
  private readonly listener: ChainListener;
  private readonly logger: FastifyBaseLogger;

  constructor(
    queue: Queue,
    blocks: BlockRuns,
    timeLimit: number | undefined,
    listener: ChainListener,
    logger: FastifyBaseLogger,
  ) {
    this.queue = queue;
    this.blocks = blocks;
    this.timeLimit = timeLimit;
    this.listener = listener;
    this.logger = logger;
  }

  /**
   * Runs all chains of an operation within the time limit, as a whole or block by block. If a chain fails, the others
   * are stopped and its error is thrown. Results are available until the operation is removed from the queue. `folder`
   * is the folder of the operation's fit.
   */
  async run(record: OperationRecord, folder: string, controller: AbortController): Promise<void> {
    if (controller.signal.aborted) throw new JobStopped('cancelled');
    // A chain's, or the time limit.
    let failure: unknown;
    const fail = (error: unknown) => {
      failure ??= error;
      if (!isLeftBehind(error)) controller.abort();
    };
    const { timeLimit } = this;
    let limit: NodeJS.Timeout | undefined;
    const begin = () => {
      if (timeLimit !== undefined) limit ??= setTimeout(() => fail(new JobStopped('time')), timeLimit);
    };
    const end = (error: ServiceError) => controller.abort(error);
    const remove = () =>
      this.queue
        .remove(record.id)
        .catch((error) => this.logger.warn(error, 'chains of an operation could not be removed'));
    controller.signal.addEventListener('abort', remove, { once: true });
    const runAll = async (blocks: readonly (ChainBlock | undefined)[]) => {
      if (controller.signal.aborted) throw failure ?? new JobStopped('cancelled');
      const run = (block: ChainBlock | undefined, index: number) =>
        this.runChain({ record, index, ...(block && { block }) }, { begin, end });
      const ended = await runChains(blocks, run, { fail }).catch(() => []);
      if (failure !== undefined) throw failure;
      return ended;
    };
    try {
      const { blocks } = planOf(record);
      if (blocks === undefined) await runAll(record.chains.map(() => undefined));
      else Object.assign(record, await this.blocks.run(record, blocks, folder, runAll));
    } finally {
      clearTimeout(limit);
      controller.signal.removeEventListener('abort', remove);
    }
  }

  /** `begin` is called when the chain starts, and `end` to end the operation with an error. */
  private async runChain(
    task: ChainTask,
    { begin, end }: { readonly begin: () => void; readonly end: (error: ServiceError) => void },
  ): Promise<EndedBlock> {
    const { listener } = this;
    const { block, index, record } = task;
    const chain = record.chains[index];
    let before = block?.before;
    let gradients = before?.gradients ?? 0;
    const result = await this.queue.run(task, {
      onStart: () => {
        begin();
        gradients = block?.before?.gradients ?? 0;
        listener.note(record, chain, { state: 'running', ...(block?.shortfall && { shortfall: block.shortfall }) });
      },
      onProgress: ({ gradients: evaluated, ...progress }) => {
        listener.countGradients(evaluated - gradients);
        gradients = evaluated;
        const { divergences, draws, treedepth_hits } = progress;
        before = {
          draws,
          gradients,
          ...(divergences !== undefined && { divergences }),
          ...(treedepth_hits !== undefined && { treedepth_hits }),
        };
        listener.note(record, chain, progress);
      },
    });
    if (result.kind === 'lack of space') {
      end(spaceError(result));
      throw new JobStopped('cancelled');
    }
    const ended = this.requireFinished(result);
    const { adaptation } = ended.kind === 'finished' ? ended : {};
    const state = isLastBlock(block) ? 'done' : 'running';
    const blocks = ended.kind === 'passed' ? ended.blocks : storedBlocks(block, true);
    listener.note(record, chain, { state, blocks, ...(adaptation !== undefined && { adaptation }) });
    return { result: ended, ...(before !== undefined && { before }) };
  }

  private requireFinished(result: Exclude<ChainResult, { readonly kind: 'lack of space' }>): EndedBlock['result'] {
    if (result.kind === 'finished' || result.kind === 'passed') return result;
    if (result.kind === 'refused') throw problems.refused(result.message, result.detail);
    if (result.kind === 'storage fault') throw storageProblem(result.fault);
    if (result.kind === 'damaged') {
      this.listener.noteDamage(result.path);
      throw new DamagedFile(result.path, result.flaw);
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

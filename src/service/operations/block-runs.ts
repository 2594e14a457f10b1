import { setTimeout as pause } from 'node:timers/promises';
import { DamagedFile } from '../../fit-files/checksums.js';
import type { FitContents } from '../../fit-files/contents.js';
import type { BlockDecision, BlockDraws } from '../../fits/block-decision.js';
import { runBlocks } from '../../fits/execute.js';
import type { BlockPlan } from '../../fits/plan.js';
import type { Shortfall } from '../../inference/diagnostics/precision.js';
import { RequestError } from '../../requests/request-error.js';
import { type Stopped, stoppedText } from '../../requests/until.js';
import { problems } from '../errors.js';
import { endOf } from '../queue/blocks.js';
import type { ChainBlock, ChainResult } from '../queue/queue.js';
import type { StoppedResource } from '../schemas/operations.js';
import type { OperationRecord } from '../store/operation-record.js';
import { PastBlock, type Store } from '../store/store.js';
import type { FitJob } from '../threads/fit-job.js';
import { JobStopped } from '../threads/job-stopped.js';
import { isResult, type JobResult } from '../threads/protocol.js';
import { rangesOf } from '../threads/reports.js';
import { selectFrom } from '../threads/selection.js';
import { storedStatistics } from '../threads/stored-statistics.js';

/** Milliseconds between two attempts while too many requests wait. */
const BUSY_INTERVAL = 100;

/** The decision at the end of a block. */
type Decision = Pick<ChainBlock, 'isComplete' | 'shortfall' | 'stopped'>;

/** A chain at the end of a block, with its progress so far. */
export interface EndedBlock {
  readonly result: Extract<ChainResult, { kind: 'finished' | 'passed' }>;
  readonly before?: ChainBlock['before'];
}

/**
 * Runs chains block by block until their draws are precise enough or all iterations are complete. This is decided when
 * all chains have completed a block. Blocks depend on the request alone, so another process that takes over the
 * operation decides in the same way.
 */
export class BlockRuns {
  private readonly store: Store;
  private readonly read: (job: FitJob) => Promise<JobResult>;

  /** `read` runs jobs of threads that read fits. */
  constructor(store: Store, read: (job: FitJob) => Promise<JobResult>) {
    this.store = store;
    this.read = read;
  }

  /**
   * Runs the blocks with `runAll` and returns why the run has stopped. The files of the chains are then those of a
   * finished fit.
   */
  async run(
    record: OperationRecord,
    plan: BlockPlan,
    folder: string,
    runAll: (blocks: readonly ChainBlock[]) => Promise<readonly EndedBlock[]>,
  ): Promise<Pick<OperationRecord, 'stopped'>> {
    let blocks: readonly ChainBlock[] = record.chains.map(() => ({ index: 0 }));
    const { stopped } = await runBlocks(plan, async ({ index }, decide) => {
      const { decision, ended } = await endOfBlock(
        () => runAll(blocks),
        () => decide(() => this.drawsOf(record, folder, index)).then(resourceOf, asServiceError),
      );
      await this.store.fits.discardBlock(folder, index - 1);
      blocks = ended.map((chain) => nextBlock(chain, index + 1, decision));
      return decision;
    });
    await runAll(blocks);
    await this.store.fits.discardBlock(folder, blocks[0].index - 1);
    return { ...(stopped && { stopped }) };
  }

  private async drawsOf(record: OperationRecord, folder: string, index: number): Promise<BlockDraws> {
    const contents = await this.contentsOf(record, folder, index);
    return storedStatistics(contents, rangesOf(selectFrom(contents, {}, false)), (_, job, kind) =>
      this.perform(job, kind),
    );
  }

  /** The draws of all chains after a block. */
  private async contentsOf(record: OperationRecord, folder: string, index: number): Promise<FitContents> {
    try {
      const ids = record.chains.map(({ chain }) => chain);
      const path = await this.store.fits.fetchBlock(folder, ids, index);
      return (await this.perform({ kind: 'contents', path }, 'contents')).contents;
    } catch (error) {
      // Another process that has taken over the operation may have removed the files.
      if (!(await this.store.operations.isOwn(record.id))) throw new JobStopped('closed', error);
      throw error;
    }
  }

  private async perform<Kind extends JobResult['kind']>(
    job: FitJob,
    kind: Kind,
  ): Promise<Extract<JobResult, { kind: Kind }>> {
    const result = await this.whenFree(job);
    if (isResult(result, kind)) return result;
    if (result.kind === 'damaged') throw new DamagedFile(result.path, result.flaw);
    throw new Error(result.kind === 'fault' ? result.report : `unexpected result of a reading thread: ${result.kind}`);
  }

  /** Retries while too many requests wait. */
  private async whenFree(job: FitJob): Promise<JobResult> {
    for (;;) {
      try {
        return await this.read(job);
      } catch (error) {
        if (!(error instanceof JobStopped && error.reason === 'busy')) throw error;
        await pause(BUSY_INTERVAL);
      }
    }
  }
}

/**
 * Runs a block and decides after it. A process that has taken over the operation may be up to two blocks ahead and have
 * removed the files of this block. In that case, running the block again returns the decision of that process.
 */
export async function endOfBlock(run: () => Promise<readonly EndedBlock[]>, decide: () => Promise<Decision>) {
  const ended = await run();
  try {
    return { ended, decision: await decisionAfter(ended, decide) };
  } catch (error) {
    if (!(error instanceof PastBlock)) throw error;
    const passed = await run();
    return { ended: passed, decision: await decisionAfter(passed, () => Promise.reject(error)) };
  }
}

/** The decision after a block. If another process has submitted a later block, it is the decision of that process. */
async function decisionAfter(ended: readonly EndedBlock[], decide: () => Promise<Decision>): Promise<Decision> {
  for (const { result } of ended) if (result.kind === 'passed') return endOf(result);
  return decide();
}

function nextBlock({ before, result }: EndedBlock, index: number, decision: Decision): ChainBlock {
  const seconds = result.kind === 'finished' ? result.seconds : undefined;
  return { index, ...(seconds && { seconds }), ...(before && { before }), ...decision };
}

function resourceOf({ isComplete, shortfall, stopped }: BlockDecision): Decision {
  return {
    ...(isComplete && { isComplete }),
    ...(stopped && { stopped: stoppedResource(stopped) }),
    ...(shortfall && { shortfall: shortfallResource(shortfall) }),
  };
}

function asServiceError(error: unknown): never {
  throw error instanceof RequestError ? problems.refused(error.message) : error;
}

function stoppedResource(stopped: Stopped): StoppedResource {
  const { iterations, reason, shortfall } = stopped;
  const message = stoppedText(stopped);
  if (shortfall === undefined) return { reason, iterations, message };
  return { reason, iterations, shortfall: shortfallResource(shortfall), message };
}

function shortfallResource<Reported extends Shortfall>({ value, ...rest }: Reported) {
  return { ...rest, ...(Number.isFinite(value) && { value }) };
}

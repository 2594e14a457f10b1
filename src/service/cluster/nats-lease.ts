import type { RunProgress } from '../../chain/request.js';
import type { ChainBlock, ChainResult, ChainTask, Lease } from '../queue/queue.js';
import type { Holding } from './holding.js';
import type { ChainReport, ChainState } from './messages.js';

/** The stored text of a waiting chain or block, with the progress of the earlier blocks. */
export function waitingText(block?: ChainBlock, progress?: RunProgress): string {
  const state: ChainState = { kind: 'waiting', ...(block && { block }), ...(progress && { progress }) };
  return JSON.stringify(state);
}

/** The stored text of a chain that a worker of `owner` has taken or ended. */
export function textOfState(owner: string, state: ChainState): string {
  return owner + JSON.stringify(state);
}

/** The messages of a worker while it runs a chain. */
export interface LeaseChannel {
  report(report: ChainReport): void;
  /** Serves the journal until the returned function is called. */
  serveJournal(path: string): () => void;
}

/**
 * A chain that this process runs. It continues while NATS is unreachable, and ends only if another process has taken it
 * over. The first write decides which of the two runs it.
 */
export class NatsLease implements Lease {
  readonly task: ChainTask;
  readonly owner: string;
  private readonly holding: Holding;
  private readonly channel: LeaseChannel;
  private readonly onEnd: () => void;
  private readonly controller = new AbortController();
  private progress: RunProgress | undefined;
  /** The state with the result. Later extensions repeat it instead of replacing it. */
  private ended: ChainState | undefined;
  private hasEnded = false;
  private silence: () => void = () => undefined;

  /** `progress` is that of the earlier blocks. */
  constructor(
    task: ChainTask,
    owner: string,
    holding: Holding,
    channel: LeaseChannel,
    onEnd: () => void,
    progress?: RunProgress,
  ) {
    this.task = task;
    this.progress = progress;
    this.owner = owner;
    this.holding = holding;
    this.channel = channel;
    this.onEnd = onEnd;
  }

  get key(): string {
    return this.holding.key;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Nothing to write: the chain has already been marked as taken. */
  begin(journal: string): void {
    if (this.hasEnded) return;
    this.silence = this.channel.serveJournal(journal);
  }

  report(progress: RunProgress): void {
    if (this.hasEnded) return;
    this.progress = progress;
    this.channel.report({ owner: this.owner, progress });
  }

  extend(): Promise<boolean> {
    return this.write(this.ended ?? { kind: 'taken', ...this.known });
  }

  async acknowledge(result: ChainResult): Promise<boolean> {
    this.ended = { kind: 'ended', result, ...this.known };
    const isDone = await this.write(this.ended);
    this.end();
    return isDone;
  }

  async release(): Promise<void> {
    if (this.hasEnded) return;
    this.end();
    await this.holding.write(waitingText(this.task.block, this.progress));
  }

  /** Ends the lease because another process runs the chain, or because the chain is no longer needed. */
  revoke(): void {
    if (this.hasEnded) return;
    this.end();
    this.controller.abort();
  }

  private get known(): Pick<ChainState, 'block' | 'progress'> {
    const { progress } = this;
    const { block } = this.task;
    return { ...(block && { block }), ...(progress && { progress }) };
  }

  private async write(state: ChainState): Promise<boolean> {
    if (this.hasEnded) return false;
    const isDone = await this.holding.write(textOfState(this.owner, state));
    if (!isDone) this.revoke();
    return isDone;
  }

  private end(): void {
    this.hasEnded = true;
    this.silence();
    this.onEnd();
  }
}

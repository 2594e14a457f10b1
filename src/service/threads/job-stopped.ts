export type StopReason = 'time' | 'memory' | 'cancelled' | 'crashed' | 'busy' | 'closed';

/** A job was stopped before it had finished. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason, cause?: unknown) {
    super(`the job was stopped: ${reason}`, { cause });
    this.reason = reason;
  }
}

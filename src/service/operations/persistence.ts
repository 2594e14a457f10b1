import { setTimeout as pause } from 'node:timers/promises';
import { LostStore, type Store } from '../store/store.js';
import { JobStopped } from '../threads/job-stopped.js';

/** Milliseconds between two attempts. */
const PAUSE = 500;

/**
 * Runs an action and retries it while a shared store cannot be reached. Throws `JobStopped` if `closing` is aborted
 * before the action succeeds, and any other error immediately.
 */
export async function persistently<Value>(
  store: Pick<Store, 'isShared'>,
  closing: AbortSignal,
  action: () => Promise<Value>,
): Promise<Value> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof LostStore && store.isShared)) throw error;
      if (closing.aborted) throw new JobStopped('closed', error);
      await pause(PAUSE, undefined, { signal: closing }).catch(() => undefined);
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { LostStore, type Store } from '../store/store.js';
import { JobStopped } from './job-stopped.js';

/** Milliseconds between two attempts. */
const PAUSE = 500;

/**
 * Does what must be done in the background, once more and again while a store that others share cannot be reached. Throws
 * `JobStopped` when `closing` is aborted meanwhile, and at once whatever else goes wrong.
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

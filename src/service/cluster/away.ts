import { setTimeout as pause } from 'node:timers/promises';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { LostStore } from '../store/store.js';

const AWAY = [
  errors.ClosedConnectionError,
  errors.ConnectionError,
  errors.DrainingConnectionError,
  errors.NoRespondersError,
  errors.RequestError,
  errors.TimeoutError,
];
/** Name of the error if no server answers for a stream: its servers may be electing a leader. */
const NO_LEADER = 'JetStreamNotEnabled';
/** Status of JetStream's errors if JetStream or the requested object is temporarily unavailable. */
const UNAVAILABLE = 503;
/** Codes of JetStream's errors if its storage is used up: the account's limit, the servers' limit when storing and when creating. */
const FULL: readonly number[] = [10_002, 10_023, 10_047];

/** Awaits a NATS operation. Throws `LostStore` if NATS cannot be reached or has no space left. */
export async function inNats<Value>(operation: Promise<Value>): Promise<Value> {
  try {
    return await operation;
  } catch (error) {
    throw asLoss(error);
  }
}

/** Converts an error which shows that NATS cannot be reached or has no space left to `LostStore`; returns other errors unchanged. */
export function asLoss(error: unknown): unknown {
  if (error instanceof JetStreamApiError && FULL.includes(error.code)) {
    return new LostStore(`NATS has no space left (${error.message})`);
  }
  const isAway =
    AWAY.some((kind) => error instanceof kind) ||
    (error instanceof Error && error.name === NO_LEADER) ||
    (error instanceof JetStreamApiError && error.status === UNAVAILABLE);
  return isAway && error instanceof Error ? new LostStore(`NATS cannot be reached (${error.message})`) : error;
}

/** Total time of all attempts, and the pause between two, in milliseconds. */
export interface Patience {
  readonly time: number;
  readonly interval: number;
}

/**
 * Retries an action that fails with a temporary error, at least once: the first attempt may have taken so long that its failure is
 * outdated. Throws a permanent error, or the last one when the time has passed.
 */
export async function tryFor<Value>(
  { time, interval }: Patience,
  mayPass: (error: unknown) => boolean,
  action: () => Promise<Value>,
): Promise<Value> {
  const end = performance.now() + time;
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!mayPass(error) || (attempt > 1 && performance.now() > end)) throw error;
    }
    await pause(interval);
  }
}

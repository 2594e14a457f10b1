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
/** Name of the client's error if no server replies for a stream: its servers may be electing a leader. */
const NO_LEADER = 'JetStreamNotEnabled';
/** Status of a JetStream error if JetStream or the requested object is temporarily unavailable. */
const UNAVAILABLE = 503;
/**
 * Codes of JetStream errors if its storage is exhausted: the limit of the account, and the limit of the servers when
 * storing a message and when creating a stream.
 */
const FULL: readonly number[] = [10_002, 10_023, 10_047];

/** Awaits a NATS operation. Throws `LostStore` if NATS cannot be reached or has no space left. */
export async function inNats<Value>(operation: Promise<Value>): Promise<Value> {
  try {
    return await operation;
  } catch (error) {
    throw asLoss(error);
  }
}

/**
 * Returns `LostStore` for an error that means that NATS cannot be reached or has no space left, and other errors
 * unchanged.
 */
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

/** Time limit for all attempts, and the pause between two attempts, in milliseconds. */
export interface Patience {
  readonly time: number;
  readonly interval: number;
}

/**
 * Retries an action that fails with a temporary error until a time limit, but at least once: the first attempt may have
 * taken so long that NATS is available again. Throws a permanent error immediately, and the last temporary one after
 * the time limit.
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

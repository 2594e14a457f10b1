/** Signals that end a command. */

/** From Ctrl-C, `kill`, and a closed terminal. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const listeners = new Set<() => void>();

/** Calls the listener at every ending signal, until the returned function is called. */
export function onEndingSignal(listener: () => void): () => void {
  listeners.add(listener);
  attach(listener);
  return () => {
    listeners.delete(listener);
    detach(listener);
  };
}

/**
 * Runs an action that may block the thread. Listeners would not be called while it blocks, so signals have their
 * default effect: they end the process.
 */
export function withDefaultSignals<Result>(action: () => Result): Result {
  for (const listener of listeners) detach(listener);
  try {
    return action();
  } finally {
    for (const listener of listeners) attach(listener);
  }
}

function attach(listener: () => void): void {
  for (const signal of ENDING) process.on(signal, listener);
}

function detach(listener: () => void): void {
  for (const signal of ENDING) process.off(signal, listener);
}

/** Milliseconds. */
const INTERVAL = 250;

/**
 * Calls back once when the process that npm has started this one with is gone. A signal to `npm start` or to `npx` ends npm and
 * its shell, and does not reach what runs in that shell. What was started without npm outlives its parent, as servers do.
 */
export function whenNpmEnds(callback: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    callback();
  }, INTERVAL);
  watch.unref();
}

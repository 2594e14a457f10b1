import { measure, type Recorded } from '../accuracy/accuracy.js';
import { readCases } from '../reference/stan.js';
import type { Outcome } from './outcome.js';

/** Compares the functions of a recorded file with their true values, and yields the worst deviation of each number. */
export function* runAccuracy(file: string, only: RegExp): Generator<Outcome> {
  for (const recorded of readCases<Recorded>(file)) {
    if (!only.test(recorded.function)) continue;
    const { worst, failures, failing } = measure(recorded);
    const summary = worst
      .filter(({ error }) => error > 0)
      .map(({ what, error, at, found, expected }) => {
        return `${what}: ${error.toExponential(1)} at ${at.join(', ')}: found ${found}, expected ${expected}`;
      });
    const details = [`${(100 * failing).toFixed(1)} % of ${recorded.points.length} points fail`, ...summary];
    const isFine = failures.length === 0;
    yield { id: recorded.function, verdict: isFine ? 'passed' : 'failed', details: isFine ? summary : details };
  }
}

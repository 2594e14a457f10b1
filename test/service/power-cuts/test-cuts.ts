import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutStrace } from './calls.js';
import { losePower } from './trial.js';

/** A test of a trial that prints its seed; `SEED` in the environment repeats a trial. */
export function testPowerCuts(trial: Omit<Parameters<typeof losePower>[0], 'seed'>): void {
  const title = `after ${trial.recordings * trial.cuts} power cuts nothing that was acknowledged is lost, half there or different`;
  test(title, { skip: withoutStrace }, async (context) => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6));
    context.diagnostic(`SEED=${seed}`);
    const { counts, problems } = await losePower({ ...trial, seed });
    context.diagnostic(counts.toString());
    assert.deepEqual(problems, []);
  });
}

import type { Algorithm, Chain, Outcome } from '../algorithms/algorithm.js';
import { readArguments } from '../algorithms/arguments.js';
import { createRng } from '../random/random-stream.js';
import { noInitialValues, type Target } from '../target.js';
import { RecordingSink } from './recording-sink.js';

/** Runs an algorithm on a test target with a constant clock. Omitted arguments have their defaults; `random_seed` is 1. */
export function runForTest(
  algorithm: Algorithm,
  target: Target,
  given: Record<string, unknown> = {},
  options: Partial<
    Pick<Chain, 'initial' | 'initialAt' | 'mode' | 'fittedParameters' | 'continued' | 'interrupt' | 'rng'>
  > & {
    sink?: RecordingSink;
  } = {},
): { outcome: Outcome; sink: RecordingSink } {
  const reading = readArguments(algorithm.arguments, given);
  if ('problems' in reading) throw new Error(JSON.stringify(reading.problems));
  const { settings } = reading;
  const sink = options.sink ?? new RecordingSink();
  const seed = typeof given.random_seed === 'number' ? given.random_seed : 1;
  const outcome = algorithm.run(settings, {
    target,
    initial: noInitialValues,
    initialAt: () => options.initial ?? noInitialValues,
    rng: createRng(seed, settings.number('chain')),
    stream: (index) => createRng(seed, settings.number('chain') + index),
    interrupt: () => false,
    clock: () => 0,
    ...options,
    sink,
  });
  return { outcome, sink };
}

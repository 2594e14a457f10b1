import { randomProgram } from './generate/program.js';
import { mutateBytes, mutateSubtrees, mutateTokens } from './mutations.js';
import { Random } from './random.js';

/** A text for the compiler, and how it came about. */
export interface Case {
  readonly origin: string;
  readonly text: string;
}

/** The case of a seed: a generated program, right or with a few faults, or a program of the corpus that was changed. */
export function caseOf(seed: number, corpus: readonly string[]): Case {
  const random = new Random(seed);
  const base = (): string => (random.chance(0.2) ? randomProgram(random, 0) : random.pick(corpus));
  return random.weighted<() => Case>([
    [20, () => ({ origin: 'generated', text: randomProgram(random, 0) })],
    [15, () => ({ origin: 'generated with faults', text: randomProgram(random, 0.02) })],
    [20, () => ({ origin: 'bytes', text: mutateBytes(base(), random) })],
    [25, () => ({ origin: 'tokens', text: mutateTokens(base(), random) })],
    [20, () => ({ origin: 'subtrees', text: mutateSubtrees(base(), base(), random) })],
  ])();
}

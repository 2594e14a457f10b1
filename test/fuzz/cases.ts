import { randomProgram } from './generate/program.js';
import { randomSolverProgram } from './generate/solvers.js';
import { mutateBytes, mutateSubtrees, mutateTokens } from './mutations.js';
import { Random } from './random.js';

/** An input for the compiler, and its origin. */
export interface Case {
  readonly origin: string;
  readonly text: string;
}

/** The sources from which the cases of a campaign are created. */
export type Family = 'programs' | 'solvers';

/** Maximum compile time of a case of a family, relative to that of a program of 60 densities. */
export const LONGEST_COMPILATION: Readonly<Record<Family, number>> = { programs: 10, solvers: 200 };

export function caseOf(seed: number, family: Family, corpus: () => readonly string[]): Case {
  return family === 'programs' ? programOf(seed, corpus()) : solversOf(seed);
}

/** A program around solvers: valid, with faults in their arguments, or mutated. */
function solversOf(seed: number): Case {
  const random = new Random(seed);
  const base = (): string => randomSolverProgram(random, 0);
  return random.weighted<() => Case>([
    [40, () => ({ origin: 'solvers', text: base() })],
    [40, () => ({ origin: 'solvers with faults', text: randomSolverProgram(random, 0.05) })],
    [10, () => ({ origin: 'tokens around solvers', text: mutateTokens(base(), random) })],
    [10, () => ({ origin: 'subtrees around solvers', text: mutateSubtrees(base(), base(), random) })],
  ])();
}

/** The case of a seed: a generated program, valid or with a few faults, or a mutated program of the corpus. */
function programOf(seed: number, corpus: readonly string[]): Case {
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

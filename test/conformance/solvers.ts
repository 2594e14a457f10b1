import { readCases } from '../reference/stan.js';
import { judgeProblem, type RecordedProblem, type RecordedRun } from '../solvers/ode.js';
import type { Outcome } from './outcome.js';

/** Compares solvers of differential equations with real Stan and with exact solutions: one case for each problem, solver and tolerance. */
export function* runSolvers(file: string, only: RegExp): Generator<Outcome> {
  for (const recorded of readCases<RecordedProblem>(file)) {
    const idOf = ({ solver, tolerance }: RecordedRun): string =>
      `${recorded.name}/${solver}/${tolerance ?? 'defaults'}`;
    for (const { run, verdict } of judgeProblem(recorded, (one) => only.test(idOf(one)))) {
      const { failures } = verdict;
      yield { id: idOf(run), verdict: failures.length === 0 ? 'passed' : 'failed', details: failures };
    }
  }
}

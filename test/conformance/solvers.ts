import { basename } from 'node:path';
import { readCases } from '../reference/stan.js';
import {
  COUNTED,
  type Criterion,
  FAMILIES,
  judgeProblem,
  type RecordedProblem,
  type RecordedRun,
} from '../solvers/judge.js';
import type { Outcome } from './outcome.js';

/** Compares solvers with real Stan and with exact solutions: one case per problem, solver and tolerance. */
export function* runSolvers(file: string, only: RegExp): Generator<Outcome> {
  const family = FAMILIES.find((name) => basename(file).startsWith(name));
  if (family === undefined) throw new Error(`${file} is named after no kind of problems`);
  for (const recorded of readCases<RecordedProblem>(file)) {
    const idOf = ({ solver, tolerance }: RecordedRun): string =>
      `${recorded.name}/${solver}/${tolerance ?? 'defaults'}`;
    for (const { run, verdict } of judgeProblem(family, recorded, (one) => only.test(idOf(one)))) {
      const { failures } = verdict;
      const criteria: readonly Criterion[] = ['success', 'value', 'gradient', ...evaluationsOf(run)];
      yield {
        id: idOf(run),
        verdict: failures.length === 0 ? 'passed' : 'failed',
        details: failures.map(({ text }) => text),
        fields: Object.fromEntries(criteria.map((one) => [one, failures.every((failure) => failure.of !== one)])),
      };
    }
  }
}

function evaluationsOf({ solver }: RecordedRun): readonly Criterion[] {
  return COUNTED.test(solver) ? ['evaluations'] : [];
}

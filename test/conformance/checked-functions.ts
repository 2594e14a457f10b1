/** Tests that compare the recorded function cases with real Stan. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { it } from 'node:test';
import { FUNCTION_CASES, readCases } from '../reference/stan.js';
import { runFunctions } from './functions.js';

/**
 * Cases in which Leapfrog is correct and real Stan is not, as "Numbers" in `docs/differences.md` shows: infinite derivatives at infinite
 * log densities, and the shape of `loglogistic_rng` as an int.
 */
const WANTED: ReadonlySet<string> = new Set([
  'beta_lpdf/real_real_real/1',
  'beta_lpdf/real_real_real/2',
  'beta_lpdf/real_real_real/17',
  'beta_lccdf/real_real_real/1',
  'poisson_lccdf/int_real/3',
  'uniform_lccdf/real_real_real/1',
  'normal_lpdf/real_real_real/17',
  'std_normal_lpdf/real/13',
  'student_t_lpdf/real_real_real_real/19',
  'cauchy_lpdf/real_real_real/17',
  'exp_mod_normal_lpdf/real_real_real_real/19',
  'skew_normal_lpdf/real_real_real_real/19',
  'gumbel_lpdf/real_real_real/17',
  'skew_double_exponential_lpdf/real_real_real_real/19',
  'chi_square_lpdf/real_real/15',
  'pareto_type_2_lpdf/real_real_real_real/19',
  'beta_proportion_lpdf/real_real_real/17',
  'cauchy_lcdf/real_real_real/5',
  'frechet_lcdf/real_real_real/5',
  'trigamma/error/1',
  'exponential_lcdf/real_real/1',
  'bernoulli_lpmf/int_real/11',
  'loglogistic_rng/real_real/1',
  'loglogistic_rng/vector_real/1',
  // Under "Solvers": a NaN that Stan ignores.
  'solver/solve_newton_tol/no_error/25',
  'solver/solve_powell_tol/no_error/21',
  // The error estimate in a message.
  ...[3, 4, 5, 10, 11, 14, 16].map((k) => `solver/integrate_1d/errors/${k}`),
]);

/** One of this many programs is a main one, in addition to that of each function's first case. */
const EVERY = 5;

/** Ids of the first case of each function, and of all cases of every fifth program. */
function mainCases(path: string): ReadonlySet<string> {
  const functions = new Set<string>();
  const programs = new Map<string, boolean>();
  const chosen = new Set<string>();
  for (const each of readCases<{ readonly id: string; readonly function: string; readonly program: string }>(path)) {
    const isFirst = !functions.has(each.function);
    functions.add(each.function);
    const isChosen = programs.get(each.program) ?? (isFirst || programs.size % EVERY === 0);
    programs.set(each.program, isChosen);
    if (isChosen || isFirst) chosen.add(each.id);
  }
  return chosen;
}

/** Compares the main cases of each file, or all other cases. */
export function testFunctions(areMain: boolean): void {
  for (const path of FUNCTION_CASES) {
    it(basename(path), () => {
      const main = mainCases(path);
      const outcomes = [...runFunctions(path, { test: (id) => main.has(id) === areMain })];
      const failed = outcomes.filter(({ id, verdict }) => verdict === 'failed' && !WANTED.has(id));
      assert.deepEqual(failed, []);
      assert.ok(outcomes.some(({ verdict }) => verdict === 'passed'));
    });
  }
}

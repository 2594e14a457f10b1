import assert from 'node:assert/strict';
import { isCompiled } from '../../src/compile.js';
import { buildModel } from '../conformance/engine.js';
import { randomSolverProgram } from '../fuzz/generate/solvers.js';
import { Random } from '../fuzz/random.js';
import { verifyStages } from '../support/verify-stages.js';
import { checkGradientOf, checkHessian } from './agreement.js';

/** Maximum jump of a value when a solver, with a tolerance of 1e-8, takes different steps. */
const STEPS = 1e-8;
/** For second derivatives: such jumps divided by the steps of the differences. */
const HESSIAN_TOLERANCE = 1e-5;

/** Checks that the IR of a random program with solvers is well formed after every pass, and that its gradient agrees with differences. */
export function checkSolverProgram(seed: number): void {
  const program = randomSolverProgram(new Random(seed), 0);
  const compiled = verifyStages(program);
  assert.ok(isCompiled(compiled), program);
  try {
    checkGradientOf(buildModel(compiled, '{}'), STEPS);
    const twice = verifyStages(program, { secondDerivatives: true });
    assert.ok(isCompiled(twice));
    checkHessian(twice, HESSIAN_TOLERANCE);
  } catch (error) {
    throw new Error(`seed ${seed}:\n${program}`, { cause: error });
  }
}

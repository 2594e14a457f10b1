import type { Typed } from '../../check/typed.js';
import { containerOf, scalarOf } from '../../functions/broadcast.js';
import { nonnegative, positive } from '../../functions/checks.js';
import { container, lazyFlat, levelOf, pointer, scalar } from '../../ir/builder.js';
import { add, and, apply, compare, get, int, load, mul, neg, ONE, real, select, ZERO } from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { laplaceLikelihood } from '../../language/higher-order.js';
import { MATRIX, VECTOR } from '../../language/types.js';
import type { CallShape } from '../../syntax/ast.js';

import type { Lowering } from '../lowering.js';
import { detached, NOTHING } from '../values.js';
import { checkFinite, checkHasElements, checkScalar } from './arguments.js';
import { type Callback, callbackOf, hold, passedOn, printed, refuse, variesHere } from './callback.js';
import { addGradient, mixedDerivatives, pointAt, type ScalarFunction } from './derivatives.js';
import { callMethod } from './method.js';
import { tried } from './tried.js';

const NAME = 'laplace_marginal_density';

type Site = Pick<CallShape<Typed>, 'span' | 'arguments'>;

/** A call of an embedded Laplace approximation: its density, a draw of the latent values, or their mode with the Cholesky factor of their covariance. */
export function lowerLaplace(lowering: Lowering, call: Site, name: string): Value {
  const { builder } = lowering;
  const own = laplaceLikelihood(name).length;
  const used = own === 0 ? 2 : own;
  const likelihood = own === 0 ? userLikelihood(lowering, call) : ownLikelihood(lowering, call, name, own);
  const [block, , handed, controls] = call.arguments
    .slice(used)
    .map((argument, k) => (k === 1 ? scalar(ZERO, 'data') : hold(lowering, lowering.expression(argument))));
  const covariances = callbackOf(lowering, call, call.arguments[used + 1], partsOf(handed));
  const covariance = builder.materialize(containerOf(covariances.call([])), 'covariance');
  const N = covariance.sizes[0];
  const [guess, ...numbers] = controls === undefined ? defaults(N) : partsOf(controls);
  // The mode does not depend on where its search starts.
  const start = levelOf([guess]) === 'data' ? guess : hold(lowering, detached(guess));
  const [tolerance, steps, solver, search, through] = numbers;
  checkOptions(lowering, {
    covariance,
    block,
    start: controls === undefined ? null : containerOf(start),
    tolerance,
    steps,
    solver,
  });
  const level = levelOf([covariance, ...likelihood.shared]);
  // The method computes adjoints itself, from constants.
  if (lowering.differentiates && level === 'autodiff') {
    lowering.withoutSecondDerivatives = 'the embedded Laplace approximation';
  }
  const f: ScalarFunction = {
    call: (theta) => likelihood.callDetached([theta]),
    span: call.span,
    what: 'A likelihood',
  };
  const varying: ScalarFunction = { ...f, call: (theta) => likelihood.call([theta]) };
  return callMethod(lowering, {
    method: 'laplace',
    entry: entryOf(name),
    args: [covariance, start, tolerance, steps, solver, search, through, block],
    given: {
      log_likelihood: (args) => likelihood.callDetached(args),
      tried_log_likelihood: (args) =>
        scalar(
          tried(lowering, () => scalarOf(likelihood.callDetached(args))),
          'data',
        ),
      slope: ([theta]) => slopeOf(lowering, f, theta),
      curvature: ([theta, size]) => curvatureOf(lowering, f, theta, scalarOf(size)),
      curvature_slope: ([theta, weights]) => curvatureSlopeOf(lowering, f, theta, containerOf(weights)),
      varying_log_likelihood: ([theta, v, weights]) =>
        varyingOf(lowering, varying, theta, containerOf(v), containerOf(weights), likelihood),
      factor: ([matrix]) => factorOf(lowering, containerOf(matrix)),
      factor_inverse: ([factor]) => factorInverseOf(lowering, containerOf(factor)),
      system_factor: ([matrix]) => systemFactorOf(lowering, containerOf(matrix)),
      covariance_varies: variesHere(lowering, covariance.level),
      likelihood_varies: variesHere(lowering, likelihood.level),
      refuse_start: () =>
        refuse(lowering, `${NAME}: log likelihood is not finite at initial theta and likelihood arguments.`),
      refuse_solver: () => refuse(lowering, `[${NAME}]`),
      warn_steps: ([most]) => warnOfSteps(lowering, scalarOf(most)),
      warn_solver: ([step, solver, block, cause]) =>
        warnOfSolver(lowering, scalarOf(step), scalarOf(solver), scalarOf(block), scalarOf(cause)),
    },
    level,
  });
}

/** The function of the method's source. */
function entryOf(name: string): string {
  if (name.endsWith('_rng')) return 'latent_rng';
  return name.startsWith('laplace_latent_solve') ? 'latent_solve' : 'marginal';
}

function partsOf(value: Value): readonly Value[] {
  return value.kind === 'composite' ? value.parts : [value];
}

function userLikelihood(lowering: Lowering, call: Site): Callback {
  const [callback, handed] = call.arguments;
  return callbackOf(lowering, call, callback, partsOf(lowering.expression(handed)));
}

/** A likelihood implemented in a method's source, such as that of `poisson_log` for `laplace_marginal_tol_poisson_log_lpmf`. */
function ownLikelihood(lowering: Lowering, call: Site, name: string, count: number): Callback {
  const entry = name.replace(/^laplace_(marginal|latent)_(tol_)?/, '').replace(/_(lpmf|rng)$/, '');
  const shared = call.arguments.slice(0, count).map((argument) => lowering.expression(argument));
  return passedOn(lowering, shared, (more) => (args) => {
    const all = [...args, ...more];
    return callMethod(lowering, { method: 'laplace-likelihoods', entry, args: all, given: {}, level: levelOf(all) });
  });
}

/** Stan Functions Reference, "Embedded Laplace approximation", control parameters. */
function defaults(N: Expr): readonly Value[] {
  const numbers = [real(1.49012e-8), int(500), int(1), int(1000), int(1)];
  return [lazyFlat(VECTOR, 'data', [N], () => ZERO), ...numbers.map((value) => scalar(value, 'data'))];
}

interface Options {
  readonly covariance: ContainerValue;
  readonly block: Value;
  /** Null if the call has no such arguments. */
  readonly start: ContainerValue | null;
  readonly tolerance: Value;
  readonly steps: Value;
  readonly solver: Value;
}

function checkOptions({ builder }: Lowering, options: Options): void {
  const { covariance, start, block, tolerance, steps, solver } = options;
  const [rows, columns] = covariance.sizes;
  if (start !== null) {
    checkHasElements(builder, NAME, 'initial guess', start);
    checkFinite(builder, NAME, 'initial guess', start);
    builder.check(
      compare('eq', start.sizes[0], rows),
      `${NAME}: The size of the initial theta ({0}) vector must match the rows and columns of the covariance matrix ({1}, {2}).`,
      [start.sizes[0], rows, columns],
    );
  }
  checkScalar(builder, NAME, 'tolerance', tolerance, nonnegative);
  checkScalar(builder, NAME, 'max_num_steps', steps, positive);
  checkScalar(builder, NAME, 'hessian_block_size', block, positive);
  builder.check(
    compare('eq', rows, columns),
    `${NAME}: Expecting a square matrix; rows of covariance ({0}) and columns of covariance ({1}) must match in size`,
    [rows, columns],
    'error',
  );
  const size = scalarOf(block);
  const divides = compare('eq', apply('rem_int', 'int', rows, size), int(0));
  builder.check(and(divides, compare('ge', rows, size)), `${NAME}: Hessian block size mismatch.`);
  const number = scalarOf(solver);
  const exists = and(compare('ge', number, int(1)), compare('le', number, int(3)));
  builder.check(exists, `${NAME}: solver must be 1, 2, or 3. Got: {0}`, [number]);
}

function slopeOf(lowering: Lowering, f: ScalarFunction, theta: Value): Value {
  const { builder } = lowering;
  const at = pointAt(lowering, theta);
  const slope = builder.allocate('real', [at.size], 'slope', 'zero');
  addGradient(lowering, f, at, [], slope);
  return container(VECTOR, 'data', slope, [at.size]);
}

/** The vector with ones at k, k + block, …: the Hessian times it has column k of every block. */
function comb(lowering: Lowering, size: Expr, block: Expr, k: Expr) {
  const { builder } = lowering;
  const direction = builder.allocate('real', [size], 'direction');
  builder.each(size, (i) => {
    const isOne = compare('eq', apply('rem_int', 'int', i, block), k);
    builder.store(direction, i, select(isOne, real(1), ZERO));
  });
  return direction;
}

function curvatureOf(lowering: Lowering, f: ScalarFunction, theta: Value, block: Expr): Value {
  const { builder } = lowering;
  const at = pointAt(lowering, theta);
  const curvature = builder.allocate('real', [at.size, block], 'curvature');
  builder.each(block, (k) => {
    const column = builder.allocate('real', [at.size], 'column', 'zero');
    addGradient(lowering, f, at, [comb(lowering, at.size, block, k)], column);
    builder.each(at.size, (i) => builder.store(curvature, add(mul(k, at.size), i), neg(load(column, i))));
  });
  return container(MATRIX, 'data', curvature, [at.size, block]);
}

function curvatureSlopeOf(lowering: Lowering, f: ScalarFunction, theta: Value, weights: ContainerValue): Value {
  const { builder } = lowering;
  const at = pointAt(lowering, theta);
  const [, block] = weights.sizes;
  const slope = builder.allocate('real', [at.size], 'slope', 'zero');
  builder.each(block, (k) => {
    const directions = [comb(lowering, at.size, block, k), columnOf(lowering, weights, k)];
    addGradient(lowering, f, at, directions, slope);
  });
  return container(VECTOR, 'data', slope, [at.size]);
}

function columnOf(lowering: Lowering, matrix: ContainerValue, k: Expr) {
  const { builder } = lowering;
  const [size] = matrix.sizes;
  const column = builder.allocate('real', [size], 'column');
  builder.each(size, (i) => builder.store(column, i, matrix.at(i, k)));
  return column;
}

function varyingOf(
  lowering: Lowering,
  f: ScalarFunction,
  theta: Value,
  v: ContainerValue,
  weights: ContainerValue,
  likelihood: Callback,
): Value {
  const { builder } = lowering;
  const at = pointAt(lowering, theta);
  const along = builder.materialize(v);
  const [, block] = weights.sizes;
  const sum = builder.newLocal('real', 'varying');
  const [value, slope] = mixedDerivatives(lowering, f, at, [along.ref]);
  builder.assign(sum, add(value, slope));
  builder.each(block, (k) => {
    const directions = [comb(lowering, at.size, block, k), columnOf(lowering, weights, k)];
    const [, , second] = mixedDerivatives(lowering, f, at, directions);
    builder.assign(sum, add(get(sum), mul(real(0.5), second)));
  });
  return scalar(get(sum), likelihood.level);
}

/** The lower Cholesky factor of a matrix with `added` on its diagonal; NaN in its first element if it does not exist. */
function writeFactor({ builder }: Lowering, factor: Ref, matrix: ContainerValue, added: Expr): Expr {
  const [n] = matrix.sizes;
  builder.fill(factor, matrix);
  builder.each(n, (i) => {
    const place = mul(i, add(n, int(1)));
    builder.store(factor, place, add(load(factor, place), added));
  });
  const status = builder.kernelResult('int', 'cholesky', [pointer(factor), pointer(factor), n]);
  builder.if(compare('ne', status, int(0)), () => builder.store(factor, int(0), real(Number.NaN)));
  return status;
}

function factorOf(lowering: Lowering, matrix: ContainerValue): Value {
  const { builder } = lowering;
  const factor = builder.allocate('real', matrix.sizes, 'factor');
  writeFactor(lowering, factor, matrix, ZERO);
  return container(MATRIX, 'data', factor, matrix.sizes);
}

function factorInverseOf({ builder }: Lowering, given: ContainerValue): Value {
  const factor = builder.materialize(given);
  const inverse = builder.allocate('real', factor.sizes, 'inverse');
  builder.kernel('factor_inverse', [pointer(inverse), pointer(factor.ref), factor.sizes[0]]);
  return container(MATRIX, 'data', inverse, factor.sizes);
}

const LEAST_JITTER = 1e-10;
const MOST_JITTER = 1e-5;
/** The next jitter that Stan tries, as Stan prints it. */
const NEXT_JITTER = '0.000100';

/** The factor of I + B, with a jitter added to the diagonal if necessary. */
function systemFactorOf(lowering: Lowering, matrix: ContainerValue): Value {
  const { builder } = lowering;
  const factor = builder.allocate('real', matrix.sizes, 'factor');
  const jitter = builder.newLocal('real', 'jitter');
  const isFailed = builder.newLocal('int', 'failed');
  builder.assign(isFailed, writeFactor(lowering, factor, matrix, ONE));
  builder.assign(jitter, real(LEAST_JITTER));
  builder.while(and(compare('ne', get(isFailed), int(0)), compare('lt', get(jitter), real(MOST_JITTER))), () => {
    builder.assign(isFailed, writeFactor(lowering, factor, matrix, add(ONE, get(jitter))));
    builder.assign(jitter, mul(real(10), get(jitter)));
  });
  return container(MATRIX, 'data', factor, matrix.sizes);
}

function warnOfSteps({ builder }: Lowering, most: Expr): Value {
  const parts = printed(`WARNING(${NAME}): max number of iterations: `, most, ' exceeded.');
  builder.emit({ kind: 'print', parts });
  return NOTHING;
}

/** Reports, once, that a solver failed and that the next one is tried. */
function warnOfSolver({ builder }: Lowering, step: Expr, solver: Expr, block: Expr, cause: Expr): Value {
  const warn = (failed: string, next: string, ...reason: readonly (string | Expr)[]): void =>
    builder.emit({
      kind: 'print',
      once: true,
      parts: printed(
        `[${NAME}] WARNING: solver fallback\n  iteration:  `,
        step,
        `\n  failed:     ${failed}\n  reason:     `,
        ...reason,
        `\n  action:     trying ${next}\nnote: this warning message will only be displayed once.`,
      ),
    });
  const jitter = `${NAME}: Cholesky failed after adding jitter up to ${NEXT_JITTER}`;
  const warnOfFirst = (hessian: string): void => {
    const report = (...reason: readonly (string | Expr)[]): void => {
      warn(`solver 1 (${hessian} Hessian-root Cholesky)`, SECOND, ...reason);
    };
    const number = neg(add(cause, int(1)));
    builder.if(
      compare('eq', cause, int(0)),
      () => report(`${NAME}: Hessian matrix is not positive definite`),
      () =>
        builder.if(
          compare('gt', cause, int(0)),
          () => report(jitter),
          () => {
            const where = "values less than 0 detected in block diagonal's schur decomposition starting at";
            report(`Error in block_matrix_sqrt: ${where} (`, number, ', ', number, ')');
          },
        ),
    );
  };
  const warnOfSecond = (...reason: readonly string[]): void => warn(SECOND, 'solver 3 (General LU solver)', ...reason);
  builder.if(
    compare('eq', solver, int(1)),
    () =>
      builder.if(
        compare('eq', block, int(1)),
        () => warnOfFirst('Diagonal'),
        () => warnOfFirst('Block'),
      ),
    () =>
      builder.if(
        compare('eq', cause, int(2)),
        () => warnOfSecond(`${NAME}: Cholesky of covariance failed at start`),
        () => warnOfSecond(jitter),
      ),
  );
  return NOTHING;
}

const SECOND = 'solver 2 (Covariance-root Cholesky)';

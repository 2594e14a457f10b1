import type { Signature } from './signature.js';
import { declaredName, splitSuffix } from './suffixes.js';
import {
  arrayOf,
  type FunctionParameter,
  type FunctionType,
  INT,
  MATRIX,
  REAL,
  ROW_VECTOR,
  type Type,
  VECTOR,
} from './types.js';

/**
 * The functions that take functions. Source: Stan Functions Reference, "Higher-order functions"; the shapes are those of
 * Stan 2.40.
 */

const value = (type: Type): FunctionParameter => ({ type, level: 'autodiff' });
const data = (type: Type): FunctionParameter => ({ type, level: 'data' });
const REALS = arrayOf(REAL);
const INTS = arrayOf(INT);

/** A function `f(callback, controls…, more…)` that passes `more` to its callback after its own arguments. */
export interface VariadicFunction {
  /** Arguments between the callback and the arguments that are forwarded. */
  readonly controls: readonly FunctionParameter[];
  /** Arguments that the callback receives before `more`. */
  readonly callbackParameters: readonly FunctionParameter[];
  readonly callbackResult: Type;
  readonly result: Type;
}

const TOLERANCES = [data(REAL), data(REAL), data(INT)];

function odeSolver(more: readonly FunctionParameter[]): VariadicFunction {
  return {
    controls: [value(VECTOR), value(REAL), value(REALS), ...more],
    callbackParameters: [value(REAL), value(VECTOR)],
    callbackResult: VECTOR,
    result: arrayOf(VECTOR),
  };
}

function daeSolver(more: readonly FunctionParameter[]): VariadicFunction {
  return {
    controls: [value(VECTOR), value(VECTOR), data(REAL), data(REALS), ...more],
    callbackParameters: [value(REAL), value(VECTOR), value(VECTOR)],
    callbackResult: VECTOR,
    result: arrayOf(VECTOR),
  };
}

function algebraicSolver(more: readonly FunctionParameter[]): VariadicFunction {
  return {
    controls: [value(VECTOR), ...more],
    callbackParameters: [value(VECTOR)],
    callbackResult: VECTOR,
    result: VECTOR,
  };
}

function integral(more: readonly FunctionParameter[]): VariadicFunction {
  return {
    controls: [value(REAL), value(REAL), ...more],
    callbackParameters: [value(REAL), value(REAL)],
    callbackResult: REAL,
    result: REAL,
  };
}

const ADJOINT_CONTROLS = [REAL, VECTOR, REAL, VECTOR, REAL, REAL, INT, INT, INT, INT, INT].map(data);

const VARIADIC: ReadonlyMap<string, VariadicFunction> = new Map([
  ...['ode_rk45', 'ode_ckrk', 'ode_adams', 'ode_bdf'].flatMap((name): [string, VariadicFunction][] => [
    [name, odeSolver([])],
    [`${name}_tol`, odeSolver(TOLERANCES)],
  ]),
  ['ode_adjoint_tol_ctl', odeSolver(ADJOINT_CONTROLS)],
  ['dae', daeSolver([])],
  ['dae_tol', daeSolver(TOLERANCES)],
  ...['solve_newton', 'solve_powell'].flatMap((name): [string, VariadicFunction][] => [
    [name, algebraicSolver([])],
    [`${name}_tol`, algebraicSolver(TOLERANCES)],
  ]),
  ...['integrate_1d_double_exponential', 'integrate_1d_gauss_kronrod'].flatMap((name): [string, VariadicFunction][] => [
    [name, integral([])],
    [`${name}_tol`, integral(TOLERANCES)],
  ]),
]);

export function variadicFunction(name: string): VariadicFunction | undefined {
  return VARIADIC.get(name);
}

/** Allowed element types of the slices of `reduce_sum`. */
export const SLICE_ELEMENTS: readonly Type[] = [REAL, INT, MATRIX, VECTOR, ROW_VECTOR];

const REDUCE_SUM: ReadonlySet<string> = new Set(['reduce_sum', 'reduce_sum_static']);

export function isReduceSum(name: string): boolean {
  return REDUCE_SUM.has(name);
}

const LAPLACE_LIKELIHOODS: ReadonlyMap<string, readonly FunctionParameter[]> = new Map([
  ['bernoulli_logit', [value(INTS), value(INTS), value(VECTOR)]],
  ['neg_binomial_2_log', [value(INTS), value(INTS), value(VECTOR), value(VECTOR)]],
  ['poisson_log', [value(INTS), value(INTS), value(VECTOR)]],
]);

const LAPLACE: ReadonlySet<string> = new Set([
  'laplace_marginal',
  'laplace_marginal_tol',
  'laplace_latent_rng',
  'laplace_latent_solve',
  'laplace_latent_solve_tol',
  'laplace_latent_tol_rng',
  ...[...LAPLACE_LIKELIHOODS.keys()].flatMap((likelihood) => [
    `laplace_marginal_${likelihood}_lpmf`,
    `laplace_marginal_tol_${likelihood}_lpmf`,
    `laplace_latent_${likelihood}_rng`,
    `laplace_latent_tol_${likelihood}_rng`,
  ]),
]);

export function isLaplace(name: string): boolean {
  return LAPLACE.has(declaredName(name));
}

/** The arguments of a Laplace function's built-in likelihood. Empty for the general functions, which take a callback. */
export function laplaceLikelihood(name: string): readonly FunctionParameter[] {
  const variant = name.replace(/^laplace_(marginal_|latent_)?(tol_)?/, '');
  return LAPLACE_LIKELIHOODS.get(splitSuffix(variant)?.family ?? variant) ?? [];
}

/** The control parameters of the `_tol` Laplace functions. */
export const LAPLACE_CONTROLS: readonly FunctionParameter[] = [
  value(VECTOR),
  data(REAL),
  data(INT),
  data(INT),
  data(INT),
  data(INT),
];

const SYSTEM: FunctionType = {
  kind: 'function',
  parameters: [value(VECTOR), value(VECTOR), data(REALS), data(INTS)],
  result: VECTOR,
};

const DERIVATIVE: FunctionType = {
  kind: 'function',
  parameters: [value(REAL), value(REALS), value(REALS), data(REALS), data(INTS)],
  result: REALS,
};

const INTEGRAND: FunctionType = {
  kind: 'function',
  parameters: [value(REAL), value(REAL), value(REALS), data(REALS), data(INTS)],
  result: REAL,
};

function fixed(name: string, callback: FunctionType, rest: readonly FunctionParameter[], result: Type): Signature {
  return { name, parameters: [value(callback), ...rest], result };
}

const SOLVED = [value(VECTOR), value(VECTOR), data(REALS), data(INTS)];
const INTEGRATED = [value(REALS), value(REAL), value(REALS), value(REALS), data(REALS), data(INTS)];
const AREA = [value(REAL), value(REAL), value(REALS), data(REALS), data(INTS)];
const THREE = [data(REAL), data(REAL), data(REAL)];

const FIXED: readonly Signature[] = [
  ...['algebra_solver', 'algebra_solver_newton'].flatMap((name) => [
    fixed(name, SYSTEM, SOLVED, VECTOR),
    fixed(name, SYSTEM, [...SOLVED, ...THREE], VECTOR),
  ]),
  fixed('integrate_ode', DERIVATIVE, INTEGRATED, arrayOf(REAL, 2)),
  ...['integrate_ode_adams', 'integrate_ode_bdf', 'integrate_ode_rk45'].flatMap((name) => [
    fixed(name, DERIVATIVE, INTEGRATED, arrayOf(REAL, 2)),
    fixed(name, DERIVATIVE, [...INTEGRATED, ...THREE], arrayOf(REAL, 2)),
  ]),
  fixed('integrate_1d', INTEGRAND, AREA, REAL),
  fixed('integrate_1d', INTEGRAND, [...AREA, data(REAL)], REAL),
  fixed(
    'map_rect',
    SYSTEM,
    [value(VECTOR), value(arrayOf(VECTOR)), data(arrayOf(REAL, 2)), data(arrayOf(INT, 2))],
    VECTOR,
  ),
];

/** The signatures of a function whose callback has one fixed type. */
export function higherOrderSignatures(name: string): readonly Signature[] {
  return FIXED.filter((signature) => signature.name === name);
}

/** Whether the function passes any number of arguments to its callback. User functions must not overload such functions. */
export function isVariadicName(name: string): boolean {
  return VARIADIC.has(name) || isReduceSum(name) || isLaplace(name);
}

/** The names of all functions that take functions, and of the Laplace approximations to built-in likelihoods. */
export const HIGHER_ORDER_NAMES: ReadonlySet<string> = new Set([
  ...VARIADIC.keys(),
  ...REDUCE_SUM,
  ...LAPLACE,
  ...FIXED.map(({ name }) => name),
]);

const FIRST_ORDER_ONLY: ReadonlySet<string> = new Set([
  ...FIXED.map(({ name }) => name),
  'hmm_marginal',
  'hmm_hidden_state_prob',
]);

/** Whether a library function has first derivatives only, so that a Laplace approximation may not call it. */
export function lacksSecondDerivatives(name: string): boolean {
  return FIRST_ORDER_ONLY.has(name) || isVariadicName(name);
}

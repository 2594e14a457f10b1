/** Statements of the model that give a variable a distribution: `theta ~ normal(mu, tau)` and `target += normal_lpdf(theta | mu, tau)`. */
import type { Callee, Typed, TypedExpression, Variable } from '../check/typed.js';
import { call1, div, log, ONE } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { Statement } from '../syntax/ast.js';
import { stackedOutcome } from './stacked-outcomes.js';

/**
 * What a scale is: a scalar or one for each element; or, for vectors, a Cholesky factor of the covariance matrix, this matrix, or its
 * inverse.
 */
type ScaleForm = 'elementwise' | 'factor' | 'covariance' | 'precision';

/** Location and scale of the logarithm of a positive number, up to constants, from two arguments of its distribution. */
type LogOrigin = (first: Expr, second: Expr) => { readonly location: Expr; readonly scale: Expr };

/** Positions of location and scale among the arguments after the outcome, and the form of the scale. */
type Family = readonly [location: number, scale: number, form: ScaleForm, ofLog?: LogOrigin];

const rootOfInverse = (x: Expr): Expr => div(ONE, call1('sqrt', x));

const FAMILIES: ReadonlyMap<string, Family> = new Map<string, Family>([
  ['normal', [0, 1, 'elementwise']],
  ['student_t', [1, 2, 'elementwise']],
  ['cauchy', [0, 1, 'elementwise']],
  ['double_exponential', [0, 1, 'elementwise']],
  ['logistic', [0, 1, 'elementwise']],
  ['gumbel', [0, 1, 'elementwise']],
  ['skew_normal', [0, 1, 'elementwise']],
  ['lognormal', [0, 1, 'elementwise', (location, scale) => ({ location, scale })]],
  ['gamma', [0, 1, 'elementwise', (shape, rate) => ({ location: log(div(shape, rate)), scale: rootOfInverse(shape) })]],
  [
    'inv_gamma',
    [0, 1, 'elementwise', (shape, scale) => ({ location: log(div(scale, shape)), scale: rootOfInverse(shape) })],
  ],
  ['multi_normal', [0, 1, 'covariance']],
  ['multi_normal_cholesky', [0, 1, 'factor']],
  ['multi_normal_prec', [0, 1, 'precision']],
  ['multi_student_t', [1, 2, 'covariance']],
  ['multi_student_t_cholesky', [1, 2, 'factor']],
]);

/** A term of a sum. */
interface Term {
  readonly isSubtracted: boolean;
  readonly value: TypedExpression;
}

export interface Origin {
  /** The terms of the location: the argument, and what the outcome `theta - x` subtracts from the parameter. */
  readonly location: readonly Term[];
  readonly scale: TypedExpression;
  readonly form: ScaleForm;
  /** For a positive parameter, location and scale of its logarithm from `location` and `scale`; null for other parameters. */
  readonly ofLog: LogOrigin | null;
  /** The elements of a vector, of which the parameter is one; null if the outcome is the parameter or a part of it. */
  readonly stack: Stack | null;
}

export interface Stack {
  readonly elements: readonly TypedExpression[];
  readonly index: number;
}

/** The elements of a vector on which the distribution of one of them is conditioned: those before it, or after it with a precision matrix. */
export function givenElements({ form, stack }: Origin): readonly TypedExpression[] {
  if (stack === null) return [];
  return form === 'precision' ? stack.elements.slice(stack.index + 1) : stack.elements.slice(0, stack.index);
}

export interface Prior {
  readonly outcome: TypedExpression;
  /** The arguments after the outcome. */
  readonly values: readonly TypedExpression[];
  readonly origin: Origin | null;
  /** Why the outcome keeps its coordinates, regardless of its type. */
  readonly problem: string | undefined;
  /** The lists of statements around the prior, outermost first. */
  readonly lists: readonly EnclosingList[];
}

export type Loop = Extract<Statement<Typed>, { readonly kind: 'for' }>;

/** A list of statements, one of which contains a prior. */
interface EnclosingList {
  /** The loop whose iterations run the list; null if it runs once. */
  readonly loop: Loop | null;
  readonly before: readonly Statement<Typed>[];
  readonly containing: Statement<Typed>;
}

/** The statements around a prior. */
interface Surroundings {
  readonly loop: Loop | null;
  readonly lists: readonly EnclosingList[];
  readonly problem?: string;
}

/** The distributions of the statements of the model, with the reason if they do not run once, or once for each iteration of loops. */
export function priorsOf(statements: readonly Statement<Typed>[]): readonly Prior[] {
  return priorsIn(statements, { loop: null, lists: [] });
}

function priorsIn(statements: readonly Statement<Typed>[], around: Surroundings): readonly Prior[] {
  return statements.flatMap((containing, k): readonly Prior[] => {
    const list = { loop: around.loop, before: statements.slice(0, k), containing };
    return priorsInStatement(containing, { ...around, lists: [...around.lists, list] });
  });
}

function priorsInStatement(statement: Statement<Typed>, around: Surroundings): readonly Prior[] {
  switch (statement.kind) {
    case 'block':
    case 'profile':
      return priorsIn(statement.statements, around);
    case 'for':
      return priorsIn([statement.body], { ...around, loop: statement });
    case 'forEach':
    case 'while':
      return priorsIn([statement.body], { problem: 'its distribution is in a loop', ...around });
    case 'if': {
      const { alternative, consequence } = statement;
      const branches = alternative === undefined ? [consequence] : [consequence, alternative];
      return priorsIn(branches, { problem: 'its distribution is in a conditional statement', ...around });
    }
    case 'tilde': {
      const { arguments: values, callee, distribution, truncation, variate } = statement;
      const problem = truncation && 'its distribution is truncated';
      return priorsOn(distribution.name, callee, variate, values, { ...(problem && { problem }), ...around });
    }
    case 'target': {
      const { value } = statement;
      if (value.kind !== 'call') return [];
      const [outcome, ...values] = value.arguments;
      const name = value.function.name.replace(/_lu?pdf$/, '');
      if (outcome === undefined || name === value.function.name) return [];
      return priorsOn(name, value.callee, outcome, values, around);
    }
    default:
      return [];
  }
}

/** The prior of an outcome, or those of the elements of a vector. */
function priorsOn(
  name: string,
  callee: Callee,
  variate: TypedExpression,
  values: readonly TypedExpression[],
  { lists, problem }: Surroundings,
): readonly Prior[] {
  const { outcome, shift } = withoutShift(variate);
  const common = { outcome, values, lists };
  if (callee.kind !== 'library') {
    return [{ ...common, origin: null, problem: `its distribution, ${name}, is a function of the program` }];
  }
  const family = FAMILIES.get(name);
  if (family === undefined) {
    return [{ ...common, origin: null, problem: `its distribution, ${name}, has no learned coordinates` }];
  }
  const [location, scale, form, ofLog = null] = family;
  const terms = [{ isSubtracted: false, value: values[location] }, ...shift];
  const origin: Origin = { location: terms, scale: values[scale], form, ofLog, stack: null };
  if (shift.length > 0 && (form !== 'elementwise' || ofLog !== null)) {
    return [{ ...common, origin, problem: 'its distribution applies to a difference' }];
  }
  if (form === 'elementwise') return [{ ...common, origin, problem }];
  const before = lists.flatMap((list) => list.before);
  const stacked = stackedOutcome(outcome, before);
  if (stacked === undefined) return [{ ...common, origin, problem }];
  const { elements, loop } = stacked;
  const inner = loop === null ? [] : [{ loop, before: [], containing: loop.body }];
  return elements.map(
    (element, index): Prior => ({
      ...common,
      outcome: element,
      origin: { ...origin, stack: { elements, index } },
      problem,
      lists: [...lists, ...inner],
    }),
  );
}

/** A sum without its terms after the first one, and these terms as those of the location of the first one. */
function withoutShift(node: TypedExpression): { readonly outcome: TypedExpression; readonly shift: readonly Term[] } {
  if (node.kind === 'parenthesis') return withoutShift(node.inner);
  if (node.kind !== 'binary' || (node.operator !== '-' && node.operator !== '+')) return { outcome: node, shift: [] };
  const { outcome, shift } = withoutShift(node.left);
  return { outcome, shift: [...shift, { isSubtracted: node.operator === '+', value: node.right }] };
}

/** The indexes between two bounds; `upper` is null up to the last one. */
export interface IndexRange {
  readonly kind: 'range';
  readonly lower: TypedExpression;
  readonly upper: TypedExpression | null;
}

export interface Outcome {
  readonly variable: Variable;
  /** Its indexes, null for all elements of an axis; undefined if it selects other parts. */
  readonly indexes: readonly (TypedExpression | IndexRange | null)[] | undefined;
}

const FLATTENING: ReadonlySet<string> = new Set(['to_vector', 'to_row_vector', 'to_array_1d']);

/** A variable, its elements in a vector or an array, or a part of it. */
export function outcomeOf(node: TypedExpression): Outcome | undefined {
  if (node.kind === 'parenthesis') return outcomeOf(node.inner);
  if (node.kind === 'call' && FLATTENING.has(node.function.name) && node.arguments.length === 1) {
    const [inner] = node.arguments;
    return inner && outcomeOf(inner);
  }
  if (node.kind === 'variable') {
    const variable = variableOf(node.symbol);
    return variable && { variable, indexes: [] };
  }
  if (node.kind !== 'indexed') return undefined;
  const container = outcomeOf(node.container);
  if (container === undefined) return undefined;
  const { indexes: outer, variable } = container;
  const inner = node.indices.map((index) => {
    switch (index.kind) {
      case 'all':
        return null;
      case 'single':
        return index.index.type.kind === 'int' ? index.index : undefined;
      case 'between':
        return { kind: 'range' as const, lower: index.lower, upper: index.upper };
      case 'from':
        return { kind: 'range' as const, lower: index.lower, upper: null };
      default:
        return undefined;
    }
  });
  const found = inner.filter((index) => index !== undefined);
  // An index after one that selects several elements belongs to an axis before it.
  const isPart =
    outer?.every((index) => index !== null && index.kind !== 'range') !== true || found.length < inner.length;
  return { variable, indexes: isPart || outer === undefined ? undefined : [...outer, ...found] };
}

export function variableOf(symbol: { readonly kind: string } | undefined): Variable | undefined {
  return symbol !== undefined && isVariable(symbol) ? symbol : undefined;
}

function isVariable(symbol: { readonly kind: string }): symbol is Variable {
  return symbol.kind === 'variable';
}

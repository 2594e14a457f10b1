/** The density of an outcome as source text, with its arguments both as a whole and per element of the outcome. */
import { type Callee, calleeName, type TypedExpression } from '../check/typed.js';
import type { FunctionSignatures } from '../language/overloads.js';
import { declaredName } from '../language/suffixes.js';
import type { Type } from '../language/types.js';
import { visitExpression } from '../syntax/walk.js';
import { elementOf, isContainer, rowOf, textOf } from './elements.js';
import type { DensityCall } from './observed.js';

export interface DensityArgument {
  readonly text: string;
  readonly type: Type;
  /** Whether the argument has one element per element of the outcome. */
  readonly isOverElements: boolean;
  /** Whether it contains a product with a matrix. */
  readonly isProduct: boolean;
  /** The element at an index; undefined if it cannot be written separately. */
  readonly element: (index: string) => string | undefined;
}

/** The distribution of each density of a generalized linear model. */
const REGRESSIONS: Readonly<Record<string, string>> = {
  normal_id_glm: 'normal',
  bernoulli_logit_glm: 'bernoulli_logit',
  poisson_log_glm: 'poisson_log',
  neg_binomial_2_log_glm: 'neg_binomial_2_log',
  binomial_logit_glm: 'binomial_logit',
};

/** A function that simulates an outcome. */
export interface RandomText {
  readonly name: string;
  readonly text: (values: readonly string[]) => string;
}

export class DensityText {
  /** The name of the density, such as `normal_lpdf`. */
  readonly name: string;
  /** The name of the distribution, such as `normal`. */
  readonly family: string;
  readonly arguments: readonly DensityArgument[];
  /** Whether the outcome is a container of observations, each with a separate density. */
  readonly isOverElements: boolean;
  /** The type of one observation. */
  readonly unit: Type;

  constructor({ callee, outcome, rest }: DensityCall, functions: FunctionSignatures) {
    const written = declaredName(calleeName(callee));
    const [, family = written, suffix = ''] = /^(.*)(_l(?:pdf|pmf))$/.exec(written) ?? [];
    const regression = REGRESSIONS[family];
    this.family = regression ?? family;
    this.name = this.family + suffix;
    const signatures = regression === undefined ? signaturesOf(callee, functions) : functions.lookup(this.name);
    const unit = unitOf(
      outcome.type,
      signatures.flatMap(({ parameters: [first] }) => (first === undefined ? [] : [first.type])),
    );
    this.unit = unit;
    this.isOverElements = unit !== outcome.type;
    const at = regression === 'binomial_logit' ? 1 : 0;
    const [predictors, intercept, coefficients, ...others] = rest.slice(at);
    const isRegression = regression !== undefined && predictors !== undefined;
    const first =
      isRegression && intercept !== undefined && coefficients !== undefined
        ? [linearPredictor(predictors, intercept, coefficients, functions)]
        : [];
    const plain = first.length > 0 ? others : rest;
    const before = first.length > 0 ? rest.slice(0, at) : [];
    const matching = signatures.filter(
      ({ parameters: [outcome] }) => outcome !== undefined && isSame(outcome.type, unit),
    );
    const argument = (node: TypedExpression, place: number): DensityArgument => {
      const possible = matching.flatMap(({ parameters }) => parameters[place]?.type ?? []);
      // The rows of a matrix of predictors correspond to the observations.
      const hasRows = family.endsWith('_glm') && node === rest.find(({ type }) => type.kind === 'matrix');
      const isList = isContainer(node.type) && unitOf(node.type, possible) !== node.type;
      return {
        text: textOf(node),
        type: node.type,
        isOverElements: this.isOverElements && (hasRows || isList),
        isProduct: isProductIn(node),
        element: (index) => (hasRows ? rowOf(node, index) : elementOf(node, index, functions)),
      };
    };
    this.arguments = [
      ...before.map((node, place) => argument(node, 1 + place)),
      ...first,
      ...plain.map((node, place) => argument(node, 1 + before.length + first.length + place)),
    ];
  }

  /** All arguments as source text. */
  get texts(): readonly string[] {
    return this.arguments.map(({ text }) => text);
  }

  /** The name of the function that would simulate an outcome. It may not exist. */
  random(functions: FunctionSignatures): RandomText {
    const name = `${this.family}_rng`;
    if (this.family === 'binomial_logit' && functions.lookup(name).length === 0) {
      return { name: 'binomial_rng', text: ([trials, logit]) => `binomial_rng(${trials}, inv_logit(${logit}))` };
    }
    return { name, text: (values) => `${name}(${values.join(', ')})` };
  }
}

/** Whether an expression multiplies a matrix. */
function isProductIn(node: TypedExpression): boolean {
  let found = false;
  visitExpression(node, {
    statement: () => undefined,
    expression: (part) => {
      found ||= part.kind === 'binary' && part.operator === '*' && part.left.type.kind === 'matrix';
    },
  });
  return found;
}

function signaturesOf(callee: Callee, functions: FunctionSignatures) {
  if (callee.kind === 'user') return [callee.function];
  return functions.lookup(calleeName(callee));
}

/**
 * The type that a function accepts for a container: that of its elements if possible, otherwise that of the container.
 */
function unitOf(type: Type, taken: readonly Type[]): Type {
  if (!isContainer(type)) return type;
  const scalar = taken.find((each) => !isContainer(each));
  if (scalar !== undefined) return scalar;
  const isTaken = type.kind === 'array' && taken.some((each) => isSame(each, type.element));
  return isTaken ? type.element : type;
}

function isSame(one: Type, other: Type): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The linear predictor, such as `alpha + x * beta`. */
function linearPredictor(
  predictors: TypedExpression,
  intercept: TypedExpression,
  coefficients: TypedExpression,
  functions: FunctionSignatures,
): DensityArgument {
  const slope = coefficients.kind === 'binary' ? `(${textOf(coefficients)})` : textOf(coefficients);
  return {
    text: `${textOf(intercept)} + ${textOf(predictors)} * ${slope}`,
    type: { kind: 'vector' },
    isOverElements: true,
    isProduct: true,
    element: (index) => {
      const [row, constant] = [
        rowOf(predictors, index),
        isContainer(intercept.type) ? elementOf(intercept, index, functions) : textOf(intercept),
      ];
      return row === undefined || constant === undefined ? undefined : `${constant} + ${row} * ${slope}`;
    },
  };
}

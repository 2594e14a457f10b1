/**
 * Finds the observation to which an increment belongs, including summands that are not densities of data, such as
 * `log1m(theta)` in `if (y[n] == 0) target += log(theta); else target += log1m(theta) + poisson_lpmf(y[n] | lambda);`.
 */
import type { TypedExpression } from '../check/typed.js';
import type { FunctionSignatures } from '../language/overloads.js';
import { visitExpression, visitStatement } from '../syntax/walk.js';
import { DensityText } from './density-text.js';
import { textOf } from './elements.js';
import { callOf, type DensityCall, mentionedIn, type TypedStatement } from './observed.js';
import { elementComparedIn, isElement } from './outcome-places.js';
import { assignedNames, DENSITY, type LikelihoodSearch } from './prior.js';

/** An enclosing statement that determines whether and how often an inner statement runs. */
export type Enclosing = Extract<TypedStatement, { readonly kind: 'for' | 'forEach' | 'while' | 'if' }>;

type Branches = Extract<Enclosing, { readonly kind: 'if' }>;

export class ObservationRows {
  readonly #search: LikelihoodSearch;
  readonly #functions: FunctionSignatures;
  readonly #ofBranches = new Map<Enclosing, TypedExpression | undefined>();

  constructor(search: LikelihoodSearch, functions: FunctionSignatures) {
    this.#search = search;
    this.#functions = functions;
  }

  /**
   * The observation of a statement. It is determined by an enclosing `if` whose branches have densities of only one
   * element, if each iteration of the innermost loop has a different element or the condition depends on the element.
   * Otherwise, in a loop, it is determined by the `calls` in the statement.
   */
  of(enclosing: readonly Enclosing[], calls: readonly DensityCall[]): TypedExpression | undefined {
    for (const [place, each] of enclosing.entries()) {
      if (each.kind !== 'if') continue;
      const found = this.#ofBranch(each, enclosing.slice(0, place));
      if (found !== undefined) return found;
    }
    const outcome = this.#elementOf(calls);
    return outcome !== undefined && isOfIteration(outcome, enclosing) ? outcome : undefined;
  }

  /** A call of a density or distribution function whose outcome is data; undefined for other expressions. */
  densityOfData(node: TypedExpression): DensityCall | undefined {
    if (node.kind !== 'call' || !DENSITY.test(node.function.name)) return undefined;
    const [outcome, ...rest] = node.arguments;
    return outcome !== undefined && this.#search.isOfData(outcome) ? { callee: node.callee, outcome, rest } : undefined;
  }

  #ofBranch(branches: Branches, enclosing: readonly Enclosing[]): TypedExpression | undefined {
    if (this.#ofBranches.has(branches)) return this.#ofBranches.get(branches);
    const calls: DensityCall[] = [];
    const assigned = new Set<string>();
    visitStatement(branches, {
      statement: (node) => {
        if (node.kind === 'function') return;
        if (node.kind === 'assignment') for (const name of assignedNames(node.target)) assigned.add(name);
        const call = node.kind === 'tilde' ? callOf(node) : undefined;
        if (call !== undefined && this.#search.isOfData(call.outcome)) calls.push(call);
      },
      expression: (node) => {
        const call = this.densityOfData(node);
        if (call !== undefined) calls.push(call);
      },
    });
    const outcome = this.#elementOf(calls);
    const isFound =
      outcome !== undefined &&
      !mentionedIn(outcome).some((name) => assigned.has(name)) &&
      (isOfIteration(outcome, enclosing) || mentions(branches, outcome));
    const found = isFound ? outcome : undefined;
    this.#ofBranches.set(branches, found);
    return found;
  }

  /** The element that is the outcome of all calls. */
  #elementOf(calls: readonly DensityCall[]): TypedExpression | undefined {
    const outcomes = calls.map((call) => {
      const { outcome } = call;
      if (!isElement(outcome)) return elementComparedIn(outcome);
      return new DensityText(call, this.#functions).isOverElements ? undefined : outcome;
    });
    const [first] = outcomes;
    return first !== undefined && outcomes.every((each) => each !== undefined && isSame(each, first))
      ? first
      : undefined;
  }
}

/** Whether each iteration of the innermost loop has a different element. */
function isOfIteration(outcome: TypedExpression, enclosing: readonly Enclosing[]): boolean {
  const loop = enclosing.findLast(({ kind }) => kind !== 'if');
  return loop?.kind === 'for' && mentionedIn(outcome).includes(loop.variable.name);
}

/** Whether the condition depends on the outcome. */
function mentions({ condition }: Branches, outcome: TypedExpression): boolean {
  let found = false;
  visitExpression(condition, {
    statement: () => undefined,
    expression: (part) => {
      found ||= isSame(part, outcome);
    },
  });
  return found;
}

function isSame(one: TypedExpression, other: TypedExpression): boolean {
  return withoutSpaces(one) === withoutSpaces(other);
}

function withoutSpaces(node: TypedExpression): string {
  return textOf(node).replace(/\s+/g, '');
}

import type { Expr } from '../ir/nodes.js';
import type { Requirement } from './checks.js';
import type { Documentation } from './entry.js';

/** One argument of a density: its allowed types, its name in Stan's messages, and Stan's checks. */
export interface Argument {
  /** `reals`/`ints`: a scalar or a one-dimensional container of them; `numbers`: either; `int`: a scalar. */
  readonly kind: 'reals' | 'ints' | 'numbers' | 'int';
  readonly words: string;
  /** Its name in size errors, if different. */
  readonly sizeWords?: string;
  readonly requirements: readonly Requirement[];
}

/** An argument of a density row. */
export function reals(words: string, ...requirements: Requirement[]): Argument {
  return { kind: 'reals', words, requirements };
}

export function ints(words: string, ...requirements: Requirement[]): Argument {
  return { kind: 'ints', words, requirements };
}

export function numbers(words: string, ...requirements: Requirement[]): Argument {
  return { kind: 'numbers', words, requirements };
}

/** A term that is kept while one of `of` is active, if that is not simply every argument that occurs in it. */
export interface KeptTerm {
  readonly value: Expr;
  readonly of: readonly Expr[];
}

export function keptFor(value: Expr, ...of: Expr[]): KeptTerm {
  return { value, of };
}

/**
 * A term that is linear in `weight`: if the weights are data and nothing else varies from element to element, they are summed first, once
 * per data set.
 */
export interface LinearTerm {
  readonly weight: Expr;
  readonly times: (weight: Expr) => Expr;
  /** As in `KeptTerm`; null: every argument that occurs. */
  readonly of: readonly Expr[] | null;
}

export function linear(weight: Expr, times: (weight: Expr) => Expr, ...of: Expr[]): LinearTerm {
  return { weight, times, of: of.length > 0 ? of : null };
}

export type Term = Expr | KeptTerm | LinearTerm;

/**
 * A density as a list of terms, each a scalar expression of one element of every argument. `~` drops a term exactly if all arguments that
 * occur in it are data. Everything else follows: broadcasting, one loop over the elements after all computations on scalars alone, size and
 * domain checks, signatures.
 */
export interface DensityRow extends Documentation {
  readonly arguments: readonly Argument[];
  readonly terms: (...args: Expr[]) => readonly Term[];
  /** Checks in Stan's order, if it differs from the arguments' order: [position, requirement]. */
  readonly checks?: readonly (readonly [number, Requirement])[];
  /** Where the density is zero: outside, argument `of` is replaced and the log density is -infinity. */
  readonly support?: {
    readonly of: number;
    readonly inside: (...args: Expr[]) => Expr;
    readonly replacement: (...args: Expr[]) => Expr;
    /** The terms are -infinity outside by themselves; only the derivatives of scalars require the condition. */
    readonly isInTerms?: boolean;
  };
  /** Name in messages where it differs from the function's. */
  readonly messageName?: string;
  /** The caller has checked the sizes with its own messages. */
  readonly sizesAreChecked?: boolean;
}

export function valueOfTerm(term: Term): Expr {
  if ('weight' in term) return term.times(term.weight);
  return 'of' in term ? term.value : term;
}

/** The arguments for which a term is kept. */
export function reasonsOf(term: Term): readonly Expr[] {
  return ('of' in term ? term.of : null) ?? [valueOfTerm(term)];
}

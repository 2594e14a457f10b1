import type { Expr } from '../ir/nodes.js';
import type { Requirement } from './checks.js';
import type { Documentation } from './entry.js';

/** An argument of a density: its types, its name in Stan's messages, and Stan's checks. */
export interface Argument {
  /** `reals` and `ints`: a scalar or a one-dimensional container; `numbers`: either of them; `int`: a scalar. */
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

/** A term that is kept if one of `of` may depend on parameters, instead of one of the arguments that occur in it. */
export interface KeptTerm {
  readonly value: Expr;
  readonly of: readonly Expr[];
}

export function keptFor(value: Expr, ...of: Expr[]): KeptTerm {
  return { value, of };
}

/**
 * A term that is linear in `weight`. If the weights are data and nothing else varies between elements, the weights are summed once per data
 * set.
 */
export interface LinearTerm {
  readonly weight: Expr;
  readonly times: (weight: Expr) => Expr;
  /** As in `KeptTerm`; null for all arguments that occur. */
  readonly of: readonly Expr[] | null;
}

export function linear(weight: Expr, times: (weight: Expr) => Expr, ...of: Expr[]): LinearTerm {
  return { weight, times, of: of.length > 0 ? of : null };
}

export type Term = Expr | KeptTerm | LinearTerm;

/**
 * A density as a list of terms. Each term is a scalar expression of one element of every argument. `~` drops a term if and only if all
 * arguments that occur in it are data. Broadcasting, the loop over the elements, size and domain checks, and signatures are derived from
 * the row.
 */
export interface DensityRow extends Documentation {
  readonly arguments: readonly Argument[];
  readonly terms: (...args: Expr[]) => readonly Term[];
  /** Checks in Stan's order, if it differs from the order of the arguments: [position, requirement]. */
  readonly checks?: readonly (readonly [number, Requirement])[];
  /** The support of the density. Outside of it, the argument at position `of` is replaced, and the log density is -∞. */
  readonly support?: {
    readonly of: number;
    readonly inside: (...args: Expr[]) => Expr;
    readonly replacement: (...args: Expr[]) => Expr;
    /** Whether the terms are -∞ outside the support without the condition. Then only derivatives of scalars require the condition. */
    readonly isInTerms?: boolean;
  };
  /** The function's name in messages, if different. */
  readonly messageName?: string;
  /** Whether the caller has checked the sizes with its own messages. */
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

import { add, div, mul, neg, sub, ZERO } from '../../ir/expressions.js';
import { Interner } from '../../ir/interned.js';
import type { Expr, Ref } from '../../ir/nodes.js';

/** An element of a parameter: a container that holds its values, and an index. */
export interface Element {
  readonly of: Ref;
  /** For a parameter whose elements form blocks: the index of the block. */
  readonly index: Expr;
  /** The position in the block. */
  readonly within?: Expr;
}

/** The element with other indexes. */
export function movedElement({ of, index, within }: Element, f: (e: Expr) => Expr): Element {
  return { of, index: f(index), ...(within !== undefined && { within: f(within) }) };
}

interface LinearTerm {
  readonly element: Element;
  readonly coefficient: Expr;
}

interface SquareTerm {
  readonly elements: readonly [Element, Element];
  readonly coefficient: Expr;
}

/**
 * A polynomial of at most the second degree in elements of parameters. Its coefficients do not depend on these parameters. The keys of terms
 * are equal if their elements are the same expressions.
 */
export interface Polynomial {
  readonly constant: Expr;
  readonly linear: ReadonlyMap<number, LinearTerm>;
  readonly square: ReadonlyMap<string, SquareTerm>;
}

const NONE: ReadonlyMap<never, never> = new Map<never, never>();

export function constantPolynomial(constant: Expr): Polynomial {
  return { constant, linear: NONE, square: NONE };
}

export function isConstant({ linear, square }: Polynomial): boolean {
  return linear.size === 0 && square.size === 0;
}

/** Arithmetic of polynomials in a program. */
export class Polynomials {
  readonly #interner = new Interner();

  ofElement(element: Element, coefficient: Expr): Polynomial {
    return { ...constantPolynomial(ZERO), linear: new Map([[this.#keyOf(element), { element, coefficient }]]) };
  }

  /** The same linear polynomial after its expressions have been replaced. */
  renewed({ constant, linear }: Polynomial): Polynomial {
    return [...linear.values()]
      .map(({ coefficient, element }) => this.ofElement(element, coefficient))
      .reduce((sum, term) => this.sum(sum, term), constantPolynomial(constant));
  }

  sum(some: Polynomial, other: Polynomial): Polynomial {
    return combined(some, other, add, (x) => x);
  }

  difference(some: Polynomial, other: Polynomial): Polynomial {
    return combined(some, other, sub, neg);
  }

  negative(p: Polynomial): Polynomial {
    return mapped(p, neg);
  }

  /** Undefined unless the divisor is constant. */
  quotient(p: Polynomial, divisor: Polynomial): Polynomial | undefined {
    return isConstant(divisor) ? mapped(p, (x) => div(x, divisor.constant)) : undefined;
  }

  /** Undefined if the degree exceeds two. */
  product(some: Polynomial, other: Polynomial): Polynomial | undefined {
    if (isConstant(other)) return mapped(some, (x) => mul(x, other.constant));
    if (isConstant(some)) return mapped(other, (x) => mul(some.constant, x));
    if (some.square.size > 0 || other.square.size > 0) return undefined;
    const square = new Map<string, SquareTerm>();
    for (const [key, { coefficient, element }] of some.linear) {
      for (const [otherKey, { coefficient: otherCoefficient, element: otherElement }] of other.linear) {
        const isOrdered = key <= otherKey;
        const name = isOrdered ? `${key} ${otherKey}` : `${otherKey} ${key}`;
        const before = square.get(name)?.coefficient ?? ZERO;
        square.set(name, {
          elements: isOrdered ? [element, otherElement] : [otherElement, element],
          coefficient: add(before, mul(coefficient, otherCoefficient)),
        });
      }
    }
    const linear = combined(
      mapped(some, (x) => mul(x, other.constant)),
      mapped(other, (x) => mul(some.constant, x)),
      add,
      (x) => x,
    );
    return { constant: mul(some.constant, other.constant), linear: linear.linear, square };
  }

  isSame(some: Element, other: Element): boolean {
    return this.#keyOf(some) === this.#keyOf(other);
  }

  #keyOf({ index, of, within }: Element): number {
    const block: Expr = { kind: 'load', type: 'real', ref: of, index };
    const key: Expr = within === undefined ? block : { kind: 'apply', type: 'real', op: 'add', args: [block, within] };
    return this.#interner.numberOf(key);
  }
}

/** The polynomial with a function applied to each coefficient. */
export function mapped({ constant, linear, square }: Polynomial, f: (coefficient: Expr) => Expr): Polynomial {
  return {
    constant: f(constant),
    linear: new Map([...linear].map(([key, term]) => [key, { ...term, coefficient: f(term.coefficient) }])),
    square: new Map([...square].map(([key, term]) => [key, { ...term, coefficient: f(term.coefficient) }])),
  };
}

function combined(
  some: Polynomial,
  other: Polynomial,
  both: (a: Expr, b: Expr) => Expr,
  second: (b: Expr) => Expr,
): Polynomial {
  const merge = <K, T extends { readonly coefficient: Expr }>(
    a: ReadonlyMap<K, T>,
    b: ReadonlyMap<K, T>,
  ): Map<K, T> => {
    const merged = new Map(a);
    for (const [key, term] of b) {
      const known = a.get(key);
      const coefficient = known === undefined ? second(term.coefficient) : both(known.coefficient, term.coefficient);
      merged.set(key, { ...term, coefficient });
    }
    return merged;
  };
  return {
    constant: both(some.constant, other.constant),
    linear: merge(some.linear, other.linear),
    square: merge(some.square, other.square),
  };
}

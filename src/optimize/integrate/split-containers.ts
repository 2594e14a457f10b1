import type { Builder } from '../../ir/builder.js';
import { load, ZERO } from '../../ir/expressions.js';
import type { Expr, Ref, StatementOf } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { NotQuadratic } from './not-quadratic.js';
import { constantPolynomial, type Polynomial, type Polynomials } from './polynomial.js';

/** A container whose elements are linear in the parameters: it becomes one container for each coefficient. */
interface Split {
  readonly constant: Ref;
  readonly terms: readonly { readonly of: Ref; readonly coefficient: Ref; readonly index: Ref }[];
}

/** The containers of a block whose elements are linear in the parameters. */
export class SplitContainers {
  /** The parameters that an element of each container reads. */
  readonly found: Map<Ref, readonly Ref[]>;
  /** Whether there are more than expected, so that the block must be written again. */
  hasMore = false;
  readonly #builder: Builder;
  readonly #splits = new Map<Ref, Split>();

  /** `expected`: the parameters that an element of each container reads, as far as they are known. */
  constructor(builder: Builder, expected: ReadonlyMap<Ref, readonly Ref[]>) {
    this.#builder = builder;
    this.found = new Map(expected);
  }

  /** The container of what does not depend on the parameters; null if the container is not known. */
  constantOf(ref: Ref): Ref | null {
    return this.#splits.get(ref)?.constant ?? null;
  }

  /** The parameters that the elements read. */
  termsOf(ref: Ref): readonly Ref[] {
    return this.#split(ref).terms.map(({ of }) => of);
  }

  allocate({ fill, ref }: StatementOf<'allocate'>, sizes: readonly Expr[]): void {
    const builder = this.#builder;
    const constant = builder.allocate('real', sizes, ref.name, fill);
    const terms = (this.found.get(ref) ?? []).map((of) => ({
      of,
      coefficient: builder.allocate('real', sizes, `${ref.name}_slope`, 'zero'),
      index: builder.allocate('int', sizes, `${ref.name}_index`, 'zero'),
    }));
    this.#splits.set(ref, { constant, terms });
  }

  view(ref: Ref, parent: Ref, offset: Expr, sizes: readonly Expr[]): void {
    const { constant, terms } = this.#split(parent);
    const viewOf = (each: Ref): Ref => this.#builder.view(each, offset, sizes, ref.name);
    this.#splits.set(ref, {
      constant: viewOf(constant),
      terms: terms.map(({ coefficient, index, of }) => ({
        of,
        coefficient: viewOf(coefficient),
        index: viewOf(index),
      })),
    });
  }

  /** Stores an element, whose coefficients are stable. What reads the index of an element of a block is refused. */
  store(ref: Ref, at: Expr, { constant, linear }: Polynomial): void {
    const builder = this.#builder;
    const { constant: constants, terms } = this.#split(ref);
    const found = [...linear.values()].map(({ coefficient, element: { index, of } }) => ({
      of,
      coefficient,
      index: builder.bind(index, 'index'),
    }));
    const left = [...terms];
    const missing: Ref[] = [];
    builder.store(constants, at, constant);
    for (const { coefficient, index, of } of found) {
      const k = left.findIndex((each) => each.of === of);
      if (k < 0) {
        missing.push(of);
        continue;
      }
      const [term] = left.splice(k, 1);
      builder.store(term.coefficient, at, coefficient);
      builder.store(term.index, at, index);
    }
    for (const term of left) builder.store(term.coefficient, at, ZERO);
    if (missing.length === 0) return;
    this.hasMore = true;
    const root = rootOf(ref);
    const known = [...(this.found.get(root) ?? []), ...missing];
    if (known.length > MAX_TERMS) throw new NotQuadratic('too many of its elements are added');
    this.found.set(root, known);
  }

  /** An element as it has been stored. `indexOf`: the index in a parameter, given the one that has been stored. */
  elementOf(ref: Ref, at: Expr, polynomials: Polynomials, indexOf: (of: Ref, stored: Expr) => Expr): Polynomial {
    const { constant, terms } = this.#split(ref);
    return terms
      .map(({ coefficient, index, of }) =>
        polynomials.ofElement({ of, index: indexOf(of, load(index, at)) }, load(coefficient, at)),
      )
      .reduce((sum, term) => polynomials.sum(sum, term), constantPolynomial(load(constant, at)));
  }

  #split(ref: Ref): Split {
    const found = this.#splits.get(ref);
    if (found === undefined) throw new NotQuadratic('a variable of another block depends on it');
    return found;
  }
}

/** Maximum number of elements of parameters in an element of a container. */
const MAX_TERMS = 8;

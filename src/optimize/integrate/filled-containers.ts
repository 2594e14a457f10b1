import { writesOf } from '../../dataflow/effects.js';
import { add, get, int, isConst, isGetOf, isValue, load, mul, sub } from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref, StatementOf } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { visitStatements } from '../../ir/walk.js';
import type { KnownBounds } from './block-index.js';
import { type ContainerValue, elementAt, isCheap, ownElement } from './container-values.js';
import type { Definitions, Frame } from './lasting.js';
import { constantPolynomial, isConstant, movedElement, type Polynomial, type Polynomials } from './polynomial.js';

/** A container of which each iteration of a loop, or of two nested ones, stores one element. */
interface OwnContainer {
  readonly ref: Ref;
  /** The values of the loops' indexes, the outer one first, for an index of the container. */
  readonly iterationOf: (at: Expr, indexes: readonly Local[]) => ReadonlyMap<Local, Expr>;
}

/** What is known about the elements of containers: of those that a loop has filled, and of those stored at constant indexes. */
export class FilledContainers {
  readonly #polynomials: Polynomials;
  readonly #definitions: Definitions;
  readonly #bounds: KnownBounds;
  readonly #renamed: (e: Expr) => Expr;
  readonly #sizes = new Map<Ref, readonly Expr[]>();
  #containers = new Map<Ref, ContainerValue>();
  /** The elements that an iteration of the current loop stores. */
  readonly #filled = new Map<Ref, { readonly polynomial: Polynomial; readonly indexes: readonly Local[] }>();
  #elements = new Map<Ref, ReadonlyMap<number, Polynomial>>();

  readonly #isFinal: (ref: Ref) => boolean;

  /**
   * `renamed`: an expression in the variables of the statements that are written. `isFinal`: whether a container of these variables is not
   * written any more.
   */
  constructor(
    polynomials: Polynomials,
    definitions: Definitions,
    bounds: KnownBounds,
    renamed: (e: Expr) => Expr,
    isFinal: (ref: Ref) => boolean,
  ) {
    this.#polynomials = polynomials;
    this.#definitions = definitions;
    this.#bounds = bounds;
    this.#renamed = renamed;
    this.#isFinal = isFinal;
  }

  /** Elements that have been stored at constant indexes. */
  get elements(): ReadonlyMap<Ref, ReadonlyMap<number, Polynomial>> {
    return this.#elements;
  }

  setSizes(ref: Ref, sizes: readonly Expr[] | null): void {
    if (sizes === null) this.#sizes.delete(ref);
    else this.#sizes.set(ref, sizes);
  }

  setElements(ref: Ref, elements: ReadonlyMap<number, Polynomial>): void {
    this.#elements.set(ref, elements);
  }

  /** Notes that an element is stored. */
  setElement(ref: Ref, at: Expr, value: Polynomial): void {
    const known = isConst(at) && ref.parent === null ? this.#elements.get(ref) : undefined;
    if (isConst(at) && ref.parent === null) this.#elements.set(ref, new Map([...(known ?? []), [at.value, value]]));
    else this.#elements.delete(rootOf(ref));
  }

  /** An element that does not depend on the parameters, as an expression of its index; undefined if it is unknown. */
  constantOf(ref: Ref, at: Expr): Expr | undefined {
    const value = this.#containers.get(ref);
    if (value === undefined || !isConstant(value.polynomial)) return undefined;
    return elementAt(value, at, (e) => this.#bounds.simplified(e)).constant;
  }

  elementOf(ref: Ref, at: Expr): Polynomial | undefined {
    const stored = isConst(at) ? this.#elements.get(ref)?.get(at.value) : undefined;
    const value = this.#containers.get(ref);
    return stored ?? (value && this.#polynomials.renewed(elementAt(value, at, (e) => this.#bounds.simplified(e))));
  }

  remove(ref: Ref): void {
    this.#containers.delete(ref);
  }

  /** The elements of containers that the statements write are no longer known. */
  forget(block: Block): void {
    visitWrites(block, (ref) => {
      this.#containers.delete(ref);
      this.#elements.delete(ref);
    });
  }

  /** Elements at constant indexes are known in the block that stores them. */
  within(block: Block, write: () => void): void {
    const elements = this.#elements;
    this.#elements = new Map(elements);
    write();
    this.#elements = elements;
    visitWrites(block, (ref) => this.#elements.delete(ref));
  }

  /** What a branch fills is not known after it. */
  inBranch(write: () => void): void {
    const containers = this.#containers;
    this.#containers = new Map(containers);
    write();
    this.#containers = containers;
  }

  /** Writes a loop. What it fills is known afterwards. */
  fill(statement: StatementOf<'for'>, frame: Frame, write: () => void): void {
    const { body } = statement;
    const own = frame.isSimple
      ? [...this.#ownContainers(statement, frame), ...this.#nestedContainers(statement, frame)]
      : [];
    const before = new Map(this.#containers);
    this.forget(body);
    for (const { ref } of own) {
      const value = before.get(ref);
      if (value !== undefined) this.#containers.set(ref, value);
    }
    if (frame.isSimple) this.#filled.clear();
    write();
    this.forget(body);
    for (const { iterationOf, ref } of own) {
      const filled = this.#filled.get(ref);
      if (filled === undefined) continue;
      const { polynomial, indexes } = filled;
      this.#containers.set(ref, { iterationOf: (at) => iterationOf(at, indexes), polynomial });
    }
  }

  /**
   * Keeps the value of a container's element if it can be computed after the loop. What does not depend on the parameters is `stored` in another
   * container.
   */
  note(frame: Frame | null, ref: Ref, value: Polynomial, stored: { readonly in: Ref; readonly at: Expr } | null): void {
    if (frame === null || !(frame.isSimple || frame.outer !== null) || value.square.size > 0) return;
    const lasting = (e: Expr): Expr | null => {
      const found = this.#definitions.lasting(e, frame, this.#isFinal);
      return found !== null && isCheap(found) ? found : null;
    };
    const at = stored && lasting(stored.at);
    const constant = lasting(value.constant) ?? (stored && at && load(stored.in, at));
    if (constant === null) return;
    let polynomial = constantPolynomial(constant);
    for (const { coefficient, element } of value.linear.values()) {
      const factor = lasting(coefficient);
      let isLasting = true;
      const moved = movedElement(element, (e) => {
        const found = lasting(e);
        isLasting &&= found !== null;
        return found ?? e;
      });
      if (factor === null || !isLasting) return;
      polynomial = this.#polynomials.sum(polynomial, this.#polynomials.ofElement(moved, factor));
    }
    const indexes = frame.outer === null ? [frame.index] : [frame.outer, frame.index];
    this.#filled.set(ref, { polynomial, indexes });
  }

  /** The containers of which each iteration stores one element, so that the loop fills them. */
  #ownContainers({ body, index }: StatementOf<'for'>, frame: Frame): readonly OwnContainer[] {
    const refs = new Set(body.flatMap((each) => (each.kind === 'store' ? [each.ref] : [])));
    return [...refs].flatMap((ref): readonly OwnContainer[] => {
      const sizes = this.#sizes.get(ref) ?? [];
      const element = ownElement(body, ref);
      if (sizes.length === 0 || element === null || ref.parent !== null) return [];
      const shift = shiftOf(element, index);
      if (shift === null) return [];
      const [first, end] = [frame.from, frame.to].map((e) => add(e, int(shift)));
      const isEnd = [sizes, sizes.toReversed()].some((each) => sameExpression(end, each.reduce(mul)));
      const isWhole = isValue(first, 0) && isEnd && this.#definitions.hasLastingBounds(frame);
      const iterationOf = (at: Expr, [index]: readonly Local[]) => new Map([[index, sub(at, int(shift))]]);
      return isWhole ? [{ ref, iterationOf }] : [];
    });
  }

  /** The containers that a loop inside the loop fills, one row or column in each iteration. */
  #nestedContainers(statement: StatementOf<'for'>, { from, to }: Frame): readonly OwnContainer[] {
    const { body, index } = statement;
    const [inner, ...rest] = body;
    if (rest.length > 0 || inner?.kind !== 'for' || !isValue(from, 0) || !isValue(inner.from, 0)) return [];
    const refs = new Set(inner.body.flatMap((each) => (each.kind === 'store' ? [each.ref] : [])));
    return [...refs].flatMap((ref): readonly OwnContainer[] => {
      const sizes = this.#sizes.get(ref) ?? [];
      const element = ownElement(inner.body, ref);
      if (sizes.length !== 2 || element === null || ref.parent !== null) return [];
      const end = this.#renamed(inner.to);
      const isOf = (a: Expr, b: Expr): boolean =>
        sizes.some((each, k) => sameExpression(each, a) && sameExpression(sizes[1 - k], b));
      if (!isOf(to, end)) return [];
      const isRows = sameExpression(element, add(mul(get(index), inner.to), get(inner.index)));
      const isColumns = sameExpression(element, add(mul(get(inner.index), statement.to), get(index)));
      if (!isRows && !isColumns) return [];
      const iterationOf = (at: Expr, [first, second]: readonly Local[]) => {
        const { block, within } = this.#bounds.blockIndex(at, isRows ? end : to);
        return new Map([
          [first, isRows ? block : within],
          [second, isRows ? within : block],
        ]);
      };
      return [{ ref, iterationOf }];
    });
  }
}

/** Visits the containers that statements write. */
function visitWrites(block: Block, visit: (ref: Ref) => void): void {
  visitStatements(block, (statement) => {
    for (const written of writesOf(statement)) if (written.kind === 'ref') visit(rootOf(written));
  });
}

/** What is added to the loop's index; null for other expressions. */
function shiftOf(e: Expr, index: Local): number | null {
  if (isGetOf(index)(e)) return 0;
  if (e.kind !== 'apply' || e.op !== 'add_int') return null;
  const [base, by] = e.args;
  return isGetOf(index)(base) && by.kind === 'const' ? by.value : null;
}

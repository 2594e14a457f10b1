import type { Builder } from '../ir/builder.js';
import { add, compare, get, mul, ONE, real, select, sub, toReal, ZERO } from '../ir/expressions.js';
import { Interner } from '../ir/interned.js';
import type { Expr, Local } from '../ir/nodes.js';
import type { ContainerValue, ScalarValue, Value } from '../ir/value.js';
import { mapExpression, operandsOf, withOperands } from '../ir/walk.js';
import { bindOnce } from './broadcast.js';
import type { Requirement } from './checks.js';
import { require } from './checks.js';
import {
  type Argument,
  type DensityRow,
  keptFor,
  type LinearTerm,
  reasonsOf,
  type Term,
  valueOfTerm,
} from './density-row.js';

export interface PlannedTerm {
  readonly value: Expr;
  /** Whether all arguments for which the term is kept are data. */
  readonly constant: boolean;
  /** Whether the term depends on an element of a container. */
  readonly varies: boolean;
  /** Set if the weights may be summed first. */
  readonly linear: LinearTerm | null;
}

type Check = readonly [position: number, requirement: Requirement];

/**
 * A density row, prepared for the arguments of a call. Scalars are bound to locals, elements of containers are represented by symbols that
 * the loop replaces, and checks that can precede the loop have been written.
 */
export class Plan {
  readonly terms: readonly PlannedTerm[];
  /** Number of elements; null if all arguments are scalars. */
  readonly count: Expr | null;
  readonly #builder: Builder;
  readonly #name: string;
  readonly #row: DensityRow;
  readonly #args: readonly Value[];
  readonly #symbols: readonly Expr[];
  readonly #positions = new Map<Local, number>();
  readonly #used: (e: Expr) => ReadonlySet<number>;
  readonly #hoisted = new Map<Expr, Expr>();
  readonly #interner = new Interner();
  /** Sums over the elements, by the value number of the summand. */
  readonly #sums = new Map<number, Expr>();
  /** Checks of elements that may depend on parameters, which run in the loop over the terms. */
  readonly #waiting: Check[] = [];
  /** Checks of scalars that come after `#waiting` in Stan's order. */
  readonly #late: Check[] = [];

  constructor(builder: Builder, name: string, row: DensityRow, args: readonly Value[]) {
    this.#builder = builder;
    this.#name = row.messageName ?? name;
    this.#row = row;
    this.#args = args;
    if (row.sizesAreChecked !== true) {
      const named = args.map((arg, k) => [row.arguments[k].sizeWords ?? row.arguments[k].words, arg] as const);
      checkConsistentSizes(builder, this.#name, named);
    }
    this.#symbols = args.map((arg, k) => this.#symbolOf(arg, k));
    this.#used = usage(this.#positions);
    const first = args.find((arg) => arg.kind === 'container');
    this.count = first?.sizes[0] ?? null;
    this.terms = supportedTerms(row, this.#symbols, this.count === null).map((term) => this.#planned(term));
    if (this.count !== null) this.#checkAhead(this.count);
  }

  checkScalars(): void {
    for (const check of this.#checks()) this.#check(check, this.#symbols, null);
  }

  /** Replaces subexpressions that depend only on scalars by locals that are computed before the loop. */
  hoist(e: Expr): Expr {
    const known = this.#hoisted.get(e);
    if (known !== undefined) return known;
    const operands = (): Expr[] => operandsOf(e).map((operand) => this.hoist(operand));
    const result = this.#varies(e) ? withOperands(e, operands()) : bindOnce(this.#builder, e);
    this.#hoisted.set(e, result);
    return result;
  }

  /** The sum of an expression over the elements, computed once. The sum of a difference of ints is the difference of two sums. */
  sum(e: Expr): Expr {
    const number = this.#interner.numberOf(e);
    const known = this.#sums.get(number);
    if (known !== undefined) return known;
    const total = this.#sumOf(e);
    this.#sums.set(number, total);
    return total;
  }

  #sumOf(e: Expr): Expr {
    if (this.count !== null && !this.#varies(e)) return mul(toReal(this.count), e);
    const inner = e.kind === 'apply' && e.op === 'to_real' ? e.args[0] : e;
    if (inner.kind === 'apply' && inner.op === 'sub_int') {
      const [from, less] = inner.args.map((part) => this.sum(toReal(part)));
      return sub(from, less);
    }
    const total = this.#builder.newLocal('real', 'sum');
    this.#builder.assign(total, ZERO);
    const term = this.hoist(e);
    this.loop((element) => this.#builder.assign(total, add(get(total), element(term))), false);
    return get(total);
  }

  /** Visits the elements. With `checked`, first runs the pending checks of each element. */
  loop(visit: ((element: (e: Expr) => Expr) => void) | null, checked: boolean): void {
    const inside = checked ? this.#waiting : [];
    if (this.count !== null && (visit !== null || inside.length > 0)) {
      this.#builder.each(this.count, (i) => {
        const elementOf = this.#elementsAt(i);
        for (const check of inside) this.#check(check, this.#withElements(check, elementOf), i);
        visit?.((e) =>
          mapExpression(e, (node) => {
            const k = node.kind === 'get' ? this.#positions.get(node.local) : undefined;
            return k === undefined ? node : elementOf(k);
          }),
        );
      });
    }
    if (checked) for (const check of this.#late) this.#check(check, this.#symbols, null);
  }

  #isContainer(k: number): boolean {
    return this.#args[k].kind === 'container';
  }

  #varies(e: Expr): boolean {
    return [...this.#used(e)].some((k) => this.#isContainer(k));
  }

  #symbolOf(arg: Value, k: number): Expr {
    const { kind } = this.#row.arguments[k];
    if (arg.kind === 'scalar') {
      const bound = bindScalar(this.#builder, arg, kind);
      if (bound.kind === 'get') this.#positions.set(bound.local, k);
      return bound;
    }
    const symbol = this.#builder.newLocal(typeOfElements(arg, kind), 'element');
    this.#positions.set(symbol, k);
    return get(symbol);
  }

  #planned(term: Term): PlannedTerm {
    const value = valueOfTerm(term);
    return {
      value,
      constant: reasonsOf(term).every((e) => this.#isData(e)),
      varies: this.#varies(value),
      linear: 'weight' in term && this.#isData(term.weight) && !this.#varies(term.times(ONE)) ? term : null,
    };
  }

  #isData(e: Expr): boolean {
    return [...this.#used(e)].every((k) => this.#args[k].level === 'data');
  }

  #checks(): readonly Check[] {
    const { checks, arguments: rows } = this.#row;
    return checks ?? rows.flatMap(({ requirements }, k) => requirements.map((requirement): Check => [k, requirement]));
  }

  /** Writes the checks of scalars and of data in Stan's order, up to the first that must wait for the loop. */
  #checkAhead(count: Expr): void {
    for (const check of this.#checks()) {
      const containers = readBy(check).filter((k) => this.#isContainer(k));
      if (containers.some((k) => this.#args[k].level === 'autodiff')) this.#waiting.push(check);
      else if (containers.length > 0) {
        if (alwaysHolds(check, this.#symbols)) continue;
        this.#builder.each(count, (i) => this.#check(check, this.#withElements(check, this.#elementsAt(i)), i));
      } else if (this.#waiting.length > 0) this.#late.push(check);
      else this.#check(check, this.#symbols, null);
    }
  }

  #check([k, requirement]: Check, values: readonly Expr[], index: Expr | null): void {
    const { words } = this.#row.arguments[k];
    const at = this.#isContainer(k) ? index : null;
    require(this.#builder, requirement, values[k], { function: this.#name, argument: words, index: at }, values);
  }

  /** The arguments, where the current elements replace the containers that a check reads. */
  #withElements(check: Check, elementOf: (k: number) => Expr): readonly Expr[] {
    const read = readBy(check);
    return this.#symbols.map((symbol, k) => (read.includes(k) ? elementOf(k) : symbol));
  }

  /** Reads elements at one position, each at most once. */
  #elementsAt(i: Expr): (k: number) => Expr {
    const known = new Map<number, Expr>();
    return (k) => {
      const arg = this.#args[k];
      if (arg.kind !== 'container') return this.#symbols[k];
      const element = known.get(k) ?? elementAt(this.#builder, arg, this.#row.arguments[k].kind, i);
      known.set(k, element);
      return element;
    };
  }
}

function readBy([k, { reads = [] }]: Check): readonly number[] {
  return [k, ...reads];
}

/**
 * The terms, and a term that is -∞ outside the support. For scalar arguments, no term has a derivative outside the support, as in Stan. In
 * a loop, only the log density is -∞, so that constants stay outside the loop.
 */
function supportedTerms(row: DensityRow, args: readonly Expr[], areScalars: boolean): readonly Term[] {
  const { support } = row;
  if (support === undefined || (support.isInTerms === true && !areScalars)) return row.terms(...args);
  const inside = support.inside(...args);
  const within = args.map((arg, k) => (k === support.of ? select(inside, arg, support.replacement(...args)) : arg));
  const terms = row.terms(...within).map((term): Term => {
    const reasons = reasonsOf(term).map((e) => unguarded(e, within, args));
    if (areScalars) return keptFor(select(inside, valueOfTerm(term), ZERO), ...reasons);
    return 'weight' in term ? { ...term, of: reasons } : keptFor(valueOfTerm(term), ...reasons);
  });
  return [...terms, keptFor(select(inside, ZERO, real(Number.NEGATIVE_INFINITY)), ...args)];
}

/**
 * The term with the original arguments, so that arguments that occur only in the condition of the support do not count as occurring in the
 * term.
 */
function unguarded(term: Expr, guarded: readonly Expr[], args: readonly Expr[]): Expr {
  return mapExpression(term, (node) => {
    const k = guarded.indexOf(node);
    return k === -1 ? node : args[k];
  });
}

/** Binds a scalar argument. Constants are used directly if their level is data. */
function bindScalar(builder: Builder, arg: ScalarValue, kind: Argument['kind']): Expr {
  const value = kind === 'reals' ? toReal(arg.value) : arg.value;
  if (value.kind !== 'const' || arg.level === 'data') return bindOnce(builder, value);
  const local = builder.newLocal(value.type, 's');
  builder.assign(local, value);
  return get(local);
}

function elementAt(builder: Builder, arg: ContainerValue, kind: Argument['kind'], i: Expr): Expr {
  const element = arg.flat(i);
  return bindOnce(builder, kind === 'reals' ? toReal(element) : element, 'x');
}

function alwaysHolds([k, requirement]: Check, symbols: readonly Expr[]): boolean {
  const condition = requirement.holds(symbols[k], symbols);
  return condition.kind === 'const' && condition.value !== 0;
}

function typeOfElements(arg: Value, kind: Argument['kind']): 'int' | 'real' {
  if (kind === 'reals') return 'real';
  const { type } = arg;
  return type.kind === 'array' && type.element.kind === 'int' ? 'int' : 'real';
}

/** Returns the positions of the arguments whose symbols occur in an expression. */
function usage(positionOf: ReadonlyMap<Local, number>): (e: Expr) => ReadonlySet<number> {
  const known = new Map<Expr, ReadonlySet<number>>();
  const used = (e: Expr): ReadonlySet<number> => {
    const before = known.get(e);
    if (before !== undefined) return before;
    const result = new Set<number>(operandsOf(e).flatMap((operand) => [...used(operand)]));
    if (e.kind === 'get') {
      const k = positionOf.get(e.local);
      if (k !== undefined) result.add(k);
    }
    known.set(e, result);
    return result;
  };
  return used;
}

/** Stops with an error unless all containers have the same size. */
export function checkConsistentSizes(
  builder: Builder,
  name: string,
  args: readonly (readonly [words: string, value: Value])[],
): void {
  let first: { readonly words: string; readonly size: Expr } | null = null;
  for (const [words, value] of args) {
    if (value.kind !== 'container') continue;
    const size = value.sizes[0];
    if (first === null) first = { words, size };
    else if (size !== first.size) {
      builder.check(
        compare('eq', first.size, size),
        `${name}: ${first.words} has size = {0}, but ${words} has size {1}; and they must be the same size.`,
        [first.size, size],
        'error',
      );
    }
  }
}

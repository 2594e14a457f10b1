import type { Builder } from '../ir/builder.js';
import { levelOf, scalar } from '../ir/builder.js';
import { add, compare, get, mul, ONE, real, select, toReal, ZERO } from '../ir/expressions.js';
import type { Expr, Local } from '../ir/nodes.js';
import type { ScalarValue, Value } from '../ir/value.js';
import { mapExpression, operandsOf, withOperands } from '../ir/walk.js';
import { bindOnce } from './broadcast.js';
import type { Requirement } from './checks.js';
import { require } from './checks.js';
import type { Documentation, FunctionEntry, Sink } from './entry.js';
import { signaturesOf } from './signatures.js';

/** One argument of a density: what it may be, its name in Stan's messages, and what Stan checks of it. */
export interface Argument {
  /** `reals`/`ints`: a scalar or a one-dimensional container of them; `numbers`: either; `int`: a scalar. */
  readonly kind: 'reals' | 'ints' | 'numbers' | 'int';
  readonly words: string;
  /** Its name in size errors, where that differs. */
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

/** A term that stays while one of `of` is active, where that is not simply every argument that occurs in it. */
export interface KeptTerm {
  readonly value: Expr;
  readonly of: readonly Expr[];
}

export function keptFor(value: Expr, ...of: Expr[]): KeptTerm {
  return { value, of };
}

/**
 * A density as a list of terms, each a scalar expression of one element of every argument. `~` drops a term exactly if
 * all arguments that occur in it are data. Everything else follows: broadcasting, one loop over the elements with what
 * depends on scalars alone computed before it, size and domain checks, signatures.
 */
export interface DensityRow extends Documentation {
  readonly arguments: readonly Argument[];
  readonly terms: (...args: Expr[]) => readonly (Expr | KeptTerm)[];
  /** Checks in Stan's order, where that is not the arguments' order: [position, requirement]. */
  readonly checks?: readonly (readonly [number, Requirement])[];
  /** Where the density is zero: outside, the value of argument `of` is replaced and the log density is -infinity. */
  readonly support?: {
    readonly of: number;
    readonly inside: (...args: Expr[]) => Expr;
    readonly replacement: (...args: Expr[]) => Expr;
  };
  /** Name in messages where it differs from the function's. */
  readonly messageName?: string;
  /** The caller has made the size checks, in words of its own. */
  readonly sizesAreChecked?: boolean;
}

/** The entry of a log density or log mass function. */
export function density(family: string, name: string, row: DensityRow): FunctionEntry {
  const addTo: NonNullable<FunctionEntry['addTo']> = (builder, args, sink, call) =>
    addTerms(builder, name, row, args, sink, call.dropConstants);
  return {
    name,
    family,
    documentation: row,
    signatures: signaturesOf(name, [`(${row.arguments.map((argument) => argument.kind).join(', ')}) => real`]),
    addTo,
    build: (builder, args, call) =>
      valueOfTerms(builder, args, (sink) => addTo(builder, args, sink, call), call.dropConstants),
  };
}

/**
 * A distribution function in its three forms, each a scalar expression of one element of every argument. Of several
 * elements the first form is a product, the logarithms are sums.
 */
export interface DistributionRow extends Documentation {
  readonly arguments: readonly Argument[];
  readonly checks?: DensityRow['checks'];
  readonly cdf?: (...args: Expr[]) => Expr;
  readonly lcdf?: (...args: Expr[]) => Expr;
  readonly lccdf?: (...args: Expr[]) => Expr;
  /**
   * Values of the three forms where `when` holds; there the first argument is replaced for the formulas. Null: the
   * form needs no value of its own.
   */
  readonly edges?: readonly {
    readonly when: (...args: Expr[]) => Expr;
    readonly values: readonly [cdf: number | null, lcdf: number | null, lccdf: number | null];
  }[];
  readonly replacement?: (...args: Expr[]) => Expr;
}

/** The entries `NAME_cdf`, `NAME_lcdf` and `NAME_lccdf`, as far as the row has them. */
export function distribution(family: string, name: string, row: DistributionRow): readonly FunctionEntry[] {
  const { edges = [], replacement } = row;
  return (['cdf', 'lcdf', 'lccdf'] as const).flatMap((form, k) => {
    const formula = row[form];
    if (formula === undefined) return [];
    const value = (...args: Expr[]): Expr => {
      const special = edges.flatMap(({ when, values }) => {
        const constant = values[k];
        return constant === null ? [] : [{ condition: when(...args), constant: real(constant) }];
      });
      const first =
        replacement === undefined
          ? args[0]
          : special.reduceRight((x, { condition }) => select(condition, replacement(...args), x), args[0]);
      return special.reduceRight(
        (rest, { condition, constant }) => select(condition, constant, rest),
        formula(first, ...args.slice(1)),
      );
    };
    const terms: DensityRow = { ...row, terms: (...args) => [value(...args)] };
    return [form === 'cdf' ? product(family, `${name}_cdf`, terms) : logarithm(family, `${name}_${form}`, terms)];
  });
}

/** A sum of which nothing is ever dropped. */
function logarithm(family: string, name: string, row: DensityRow): FunctionEntry {
  const entry = density(family, name, row);
  const addTo: NonNullable<FunctionEntry['addTo']> = (builder, args, sink) =>
    addTerms(builder, name, row, args, sink, false);
  return {
    ...entry,
    addTo,
    build: (builder, args, call) => valueOfTerms(builder, args, (sink) => addTo(builder, args, sink, call), false),
  };
}

function product(family: string, name: string, row: DensityRow): FunctionEntry {
  return {
    ...density(family, name, row),
    addTo: undefined,
    build: (builder, args) => {
      const plan = planOf(builder, name, row, args);
      const [{ value }] = plan.terms;
      if (plan.count === null) {
        plan.checkScalars();
        return scalar(value, levelOf(args));
      }
      const total = builder.newLocal('real', 'product');
      builder.assign(total, ONE);
      const factor = plan.hoist(value);
      plan.loop((element) => builder.assign(total, mul(get(total), element(factor))), true);
      return scalar(get(total), levelOf(args));
    },
  };
}

/** Collects terms into one scalar value; `constant` ones are left out when constants are dropped. */
export function valueOfTerms(
  builder: Builder,
  args: readonly Value[],
  write: (sink: Sink) => void,
  dropConstants: boolean,
): Value {
  const total = builder.newLocal('real', 'log_density');
  builder.assign(total, ZERO);
  write({
    add: (inner, value, term) => {
      if (term === 'always' || !dropConstants) inner.assign(total, add(get(total), value));
    },
  });
  return scalar(get(total), levelOf(args));
}

/** Adds the terms of a row for these arguments to a sink. */
export function addTerms(
  builder: Builder,
  name: string,
  row: DensityRow,
  args: readonly Value[],
  sink: Sink,
  dropConstants: boolean,
): void {
  const plan = planOf(builder, name, row, args);
  const kindOf = (term: PlannedTerm): 'always' | 'constant' => (dropConstants && term.constant ? 'constant' : 'always');
  if (plan.count === null) {
    plan.checkScalars();
    for (const kind of ['always', 'constant'] as const) {
      const terms = plan.terms.filter((term) => kindOf(term) === kind);
      if (terms.length > 0) sink.add(builder, sum(terms.map((term) => term.value)), kind);
    }
    return;
  }
  const times = plan.count;
  const [always, constant] = (['always', 'constant'] as const).map((kind) => {
    const terms = plan.terms.filter((term) => kindOf(term) === kind);
    const once = terms.filter((term) => !term.varies).map((term) => term.value);
    if (once.length > 0) sink.add(builder, mul(toReal(times), sum(once)), kind);
    const varying = terms.filter((term) => term.varies).map((term) => plan.hoist(term.value));
    return varying.length > 0 ? sum(varying) : null;
  });
  if (constant !== null) plan.loop((element) => sink.add(builder, element(constant), 'constant'), false);
  plan.loop(always === null ? null : (element) => sink.add(builder, element(always), 'always'), true);
}

function sum(values: readonly Expr[]): Expr {
  return values.reduce(add);
}

function valueOfTerm(term: Expr | KeptTerm): Expr {
  return 'of' in term ? term.value : term;
}

interface PlannedTerm {
  readonly value: Expr;
  /** All arguments that it stays for are data. */
  readonly constant: boolean;
  /** It depends on an element of a container. */
  readonly varies: boolean;
}

interface Plan {
  readonly terms: readonly PlannedTerm[];
  /** Number of elements; null when every argument is a scalar. */
  readonly count: Expr | null;
  checkScalars(): void;
  /** Replaces what depends on scalars alone by locals that are computed here. */
  hoist(e: Expr): Expr;
  /** Visits the elements; with `checked`, runs the checks that wait for them first, element by element. */
  loop(visit: ((element: (e: Expr) => Expr) => void) | null, checked: boolean): void;
}

/**
 * Works the row out for these arguments: scalars are bound to locals, the elements of containers become symbols that
 * the loop replaces, and the checks that can be made ahead of the loop are.
 */
export function planOf(builder: Builder, name: string, row: DensityRow, args: readonly Value[]): Plan {
  const messageName = row.messageName ?? name;
  if (row.sizesAreChecked !== true) {
    checkConsistentSizes(
      builder,
      messageName,
      args.map((arg, k) => [row.arguments[k].sizeWords ?? row.arguments[k].words, arg] as const),
    );
  }
  const positionOf = new Map<Local, number>();
  const symbols = args.map((arg, k) => {
    if (arg.kind === 'scalar') {
      const bound = bindScalar(builder, arg, row.arguments[k].kind);
      if (bound.kind === 'get') positionOf.set(bound.local, k);
      return bound;
    }
    const symbol = builder.newLocal(typeOfElements(arg, row.arguments[k].kind), 'element');
    positionOf.set(symbol, k);
    return get(symbol);
  });
  const isContainer = (k: number): boolean => args[k].kind === 'container';
  const first = args.find((arg) => arg.kind === 'container');
  const used = usage(positionOf);

  const terms = supportedTerms(row, symbols, first === undefined).map((term): PlannedTerm => {
    const value = valueOfTerm(term);
    const kept = 'of' in term ? term.of : [value];
    return {
      value,
      constant: kept.every((e) => [...used(e)].every((k) => args[k].level === 'data')),
      varies: [...used(value)].some(isContainer),
    };
  });

  const checks =
    row.checks ?? row.arguments.flatMap((argument, k) => argument.requirements.map((r) => [k, r] as const));
  const check = (
    [k, requirement]: readonly [number, Requirement],
    elements: readonly Expr[],
    index: Expr | null,
  ): void =>
    require(builder, requirement, elements[k], {
      function: messageName,
      argument: row.arguments[k].words,
      index: isContainer(k) ? index : null,
    }, elements);
  const readBy = ([k, requirement]: readonly [number, Requirement]): readonly number[] => [
    k,
    ...(requirement.reads ?? []),
  ];
  const count = first?.sizes[0] ?? null;
  const elementsAt = (i: Expr): Expr[] =>
    args.map((arg, k) => elementAt(builder, arg, row.arguments[k].kind, symbols[k], i));

  const waiting: (readonly [number, Requirement])[] = [];
  const late: (readonly [number, Requirement])[] = [];
  if (count !== null) {
    for (const entry of checks) {
      const read = readBy(entry);
      if (read.some((k) => isContainer(k) && args[k].level === 'autodiff')) waiting.push(entry);
      else if (read.some(isContainer)) {
        if (!alwaysHolds(entry[1], symbols, entry[0])) {
          builder.each(count, (i) => check(entry, elementsAt(i), i));
        }
      } else if (waiting.length > 0) late.push(entry);
      else check(entry, symbols, null);
    }
  }
  const hoisted = new Map<Expr, Expr>();
  const hoist = (e: Expr): Expr => {
    const known = hoisted.get(e);
    if (known !== undefined) return known;
    const varies = [...used(e)].some(isContainer);
    const result = varies ? withOperands(e, operandsOf(e).map(hoist)) : bindOnce(builder, e);
    hoisted.set(e, result);
    return result;
  };
  return {
    terms,
    count,
    hoist,
    checkScalars: () => {
      for (const entry of checks) check(entry, symbols, null);
    },
    loop: (visit, checked) => {
      const inside = checked ? waiting : [];
      if (count !== null && (visit !== null || inside.length > 0)) {
        builder.each(count, (i) => {
          const elements = new Map<number, Expr>();
          const elementOf = (k: number): Expr => {
            const known = elements.get(k) ?? elementAt(builder, args[k], row.arguments[k].kind, symbols[k], i);
            elements.set(k, known);
            return known;
          };
          for (const entry of inside) {
            const row = symbols.slice();
            for (const k of readBy(entry)) row[k] = elementOf(k);
            check(entry, row, i);
          }
          visit?.((e) =>
            mapExpression(e, (node) => {
              if (node.kind !== 'get') return node;
              const k = positionOf.get(node.local);
              return k === undefined || !isContainer(k) ? node : elementOf(k);
            }),
          );
        });
      }
      if (checked) for (const entry of late) check(entry, symbols, null);
    },
  };
}

/**
 * The terms with the support's condition as one more of them. Of scalars, no term has a derivative outside of it, as in
 * Stan; in a loop the log density is -infinity all the same, and what is constant stays outside of the loop.
 */
function supportedTerms(row: DensityRow, args: readonly Expr[], areScalars: boolean): readonly (Expr | KeptTerm)[] {
  const { support } = row;
  if (support === undefined) return row.terms(...args);
  const inside = support.inside(...args);
  const within = args.map((arg, k) => (k === support.of ? select(inside, arg, support.replacement(...args)) : arg));
  const terms = row.terms(...within).map((term): Expr | KeptTerm => {
    if (!areScalars) return term;
    return keptFor(
      select(inside, valueOfTerm(term), ZERO),
      ...('of' in term ? term.of : [unguarded(term, within, args)]),
    );
  });
  return [...terms, keptFor(select(inside, ZERO, real(Number.NEGATIVE_INFINITY)), ...args)];
}

/** The term by the arguments themselves, so that the support's condition does not count among what occurs in it. */
function unguarded(term: Expr, guarded: readonly Expr[], args: readonly Expr[]): Expr {
  return mapExpression(term, (node) => {
    const k = guarded.indexOf(node);
    return k === -1 ? node : args[k];
  });
}

/** A constant stands for itself, unless its type says that it may depend on parameters. */
function bindScalar(builder: Builder, arg: ScalarValue, kind: Argument['kind']): Expr {
  const value = kind === 'reals' ? toReal(arg.value) : arg.value;
  if (value.kind !== 'const' || arg.level === 'data') return bindOnce(builder, value);
  const local = builder.newLocal(value.type, 's');
  builder.assign(local, value);
  return get(local);
}

function elementAt(builder: Builder, arg: Value, kind: Argument['kind'], symbol: Expr, i: Expr): Expr {
  if (arg.kind !== 'container') return symbol;
  const element = arg.flat(i);
  return bindOnce(builder, kind === 'reals' ? toReal(element) : element, 'x');
}

function alwaysHolds(requirement: Requirement, symbols: readonly Expr[], k: number): boolean {
  const condition = requirement.holds(symbols[k], symbols);
  return condition.kind === 'const' && condition.value !== 0;
}

function typeOfElements(arg: Value, kind: Argument['kind']): 'int' | 'real' {
  if (kind === 'reals') return 'real';
  const { type } = arg;
  return type.kind === 'array' && type.element.kind === 'int' ? 'int' : 'real';
}

/** Which arguments occur in an expression, by their symbols. */
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

/** Stops unless all containers have the size of the first one. */
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

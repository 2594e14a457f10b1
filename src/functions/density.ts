import type { Builder } from '../ir/builder.js';
import { levelOf, scalar } from '../ir/builder.js';
import { add, get, mul, ONE, real, select, toReal, ZERO } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { Plan, type PlannedTerm } from './density-plan.js';
import type { Argument, DensityRow } from './density-row.js';
import type { DensityEntry, Documentation, FunctionEntry, Sink } from './entry.js';
import { signaturesOf } from './signatures.js';

/** The entry of a log density or log mass function. */
export function density(family: string, name: string, row: DensityRow): DensityEntry {
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

/** A density with two implementations; the arguments of a call determine which one is used. */
export function either(
  usual: DensityEntry,
  other: DensityEntry,
  isOther: (args: readonly Value[], dropsConstants: boolean) => boolean,
): DensityEntry {
  const choose = (args: readonly Value[], dropsConstants: boolean): DensityEntry =>
    isOther(args, dropsConstants) ? other : usual;
  return {
    ...usual,
    addTo: (builder, args, sink, call) => choose(args, call.dropConstants).addTo(builder, args, sink, call),
    build: (builder, args, call) => choose(args, call.dropConstants).build(builder, args, call),
  };
}

/**
 * A density whose large terms cancel. `preciseTerms` keep the digits of its value and are used if all arguments are scalars and constants
 * are kept. Otherwise the value is itself large, and the absolute error matters.
 */
export function precise(
  family: string,
  name: string,
  row: DensityRow & { readonly preciseTerms: DensityRow['terms'] },
): DensityEntry {
  return either(
    density(family, name, row),
    density(family, name, { ...row, terms: row.preciseTerms }),
    (args, dropsConstants) => !dropsConstants && args.every(({ kind }) => kind === 'scalar'),
  );
}

/**
 * The three forms of a distribution function, each a scalar expression of one element of every argument. For several elements, `cdf` is a
 * product, and `lcdf` and `lccdf` are sums.
 */
export interface DistributionRow extends Documentation {
  readonly arguments: readonly Argument[];
  readonly checks?: DensityRow['checks'];
  readonly cdf?: (...args: Expr[]) => Expr;
  readonly lcdf?: (...args: Expr[]) => Expr;
  readonly lccdf?: (...args: Expr[]) => Expr;
  /**
   * Values of the three forms if `when` holds; null if the formula is valid there. The formulas then receive `replacement` as the first
   * argument.
   */
  readonly edges?: readonly {
    readonly when: (...args: Expr[]) => Expr;
    readonly values: readonly [cdf: number | null, lcdf: number | null, lccdf: number | null];
  }[];
  readonly replacement?: (...args: Expr[]) => Expr;
}

/** The entries `NAME_cdf`, `NAME_lcdf` and `NAME_lccdf`, if the row has them. */
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

/** A logarithm that is a sum over the elements, of which no terms are dropped. */
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
      const plan = new Plan(builder, name, row, args);
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

/** Sums terms into one scalar value, without `constant` terms if constants are dropped. */
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
  const plan = new Plan(builder, name, row, args);
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
    for (const { linear, varies } of terms) {
      if (varies && linear !== null) sink.add(builder, linear.times(plan.sum(toReal(linear.weight))), kind);
    }
    const varying = terms.filter((term) => term.varies && term.linear === null).map((term) => plan.hoist(term.value));
    return varying.length > 0 ? sum(varying) : null;
  });
  if (constant !== null) plan.loop((element) => sink.add(builder, element(constant), 'constant'), false);
  plan.loop(always === null ? null : (element) => sink.add(builder, element(always), 'always'), true);
}

function sum(values: readonly Expr[]): Expr {
  return values.reduce(add);
}

import { type Builder, count, pointer } from '../../ir/builder.js';
import { add, and, compare, get, int, iterationsOf, load, mul, neg, real, sub, toReal } from '../../ir/expressions.js';
import type { Expr, KernelArgument, Local, Ref, StatementOf } from '../../ir/nodes.js';
import { mapExpression } from '../../ir/walk.js';
import {
  allocateMoments,
  factorMoments,
  type GroupStatistics,
  type Groups,
  groupForm,
  groupRows,
  momentsOf,
  newGroups,
} from './group-statistics.js';
import { type Entry, GREATEST, LEAST, type RowSum, type RowSums } from './row-sums.js';

type ForLoop = StatementOf<'for'>;

/**
 * Limit of the error bound of a sum of squares, in units of 2⁻⁵² times its value. Above it, where residuals are less than 1e-4 of the variation of
 * the columns, the rows are used. Below it, the relative error is less than 2e-12.
 */
const MOST_ERROR = 1e4;

/** The variables in which `precompute` stores the sums over the rows of a loop. */
export interface Statistics {
  /** Whether the sums can be used. */
  readonly usable: Local;
  readonly of: ReadonlyMap<RowSum, SumStatistics>;
  readonly groups: Groups;
  readonly ofGroups: ReadonlyMap<RowSum, GroupStatistics>;
}

interface SumStatistics {
  /** The number of quantities: a constant or a global. */
  readonly size: Expr;
  /** The sums; for a sum of squares, the factor of the moments. */
  readonly sums: Ref;
  /** For each quantity the maximum absolute data of any row, then the maximum weight. */
  readonly largest: Ref;
}

/** Sums the data of the rows, if the loop runs. */
export function sumRows(builder: Builder, loop: ForLoop, condition: Expr, rowSums: RowSums): Statistics {
  const { sums } = rowSums;
  const usable = builder.newLocal('int', 'has_statistics', 'global');
  const ungrouped = sums.filter(({ own, power }) => power > 0 && own === 0);
  const of = new Map(ungrouped.map((sum) => [sum, newStatistics(builder, sum)]));
  const ofGroups = new Map(sums.filter(({ own }) => own > 0).map((sum) => [sum, newGroupStatistics(builder, sum)]));
  const statistics = { usable, of, ofGroups, groups: newGroups(builder, rowSums) };
  const at = (e: Expr, row: Expr): Expr =>
    mapExpression(e, (n) => (n.kind === 'get' && n.local === loop.index ? row : n));
  builder.assign(usable, int(0));
  builder.if(condition, () => {
    for (const [{ entries }, { size }] of [...of, ...ofGroups]) {
      if (size.kind === 'get') builder.assign(size.local, sizeOf(entries));
    }
    const groupOf = ofGroups.size > 0 ? groupRows(builder, loop, statistics.groups, at) : null;
    builder.if(paysFor(rowsOf(loop), sums.length, statistics), () => {
      const plain = [...of].map(([sum, own]) => allocate(builder, sum, own));
      const moments = [...ofGroups.values()].map((own) => ({
        moments: allocateMoments(builder, statistics.groups, own),
        row: builder.allocate('real', [add(own.size, int(1))], 'row', 'zero'),
      }));
      builder.for(loop.from, loop.to, (row) => {
        const atRow = (e: Expr): Expr => at(e, row);
        [...of].forEach(([sum, own], k) => {
          addRow(builder, sum, { ...own, sums: pointer(plain[k].sums) }, plain[k].row, atRow);
        });
        [...ofGroups].forEach(([sum, own], k) => {
          if (groupOf === null) return;
          const to = momentsOf(moments[k].moments, own.size, load(groupOf, sub(row, loop.from)));
          addRow(builder, sum, { ...own, sums: to }, moments[k].row, atRow);
        });
      });
      builder.assign(usable, int(1));
      [...of].forEach(([{ power }, own], k) => {
        builder.assign(usable, and(get(usable), finish(builder, power, own, plain[k].sums)));
      });
      [...ofGroups.values()].forEach((own, k) => {
        const isRight = factorMoments(builder, statistics.groups, own, moments[k].moments);
        builder.assign(usable, and(get(usable), isRight));
      });
    });
  });
  return statistics;
}

function newGroupStatistics(builder: Builder, { entries }: RowSum): GroupStatistics {
  const known = sizeOf(entries);
  return {
    size: known.kind === 'const' ? known : get(builder.newLocal('int', 'quantities', 'global')),
    factors: builder.newRef('real', 1, 'factors', 'global'),
    largest: builder.newRef('real', 1, 'largest', 'global'),
  };
}

/** The number of rows of the loop. */
function rowsOf(loop: ForLoop): Expr {
  return toReal(iterationsOf(loop.from, loop.to));
}

function newStatistics(builder: Builder, { power, entries }: RowSum): SumStatistics {
  const known = sizeOf(entries);
  const ref = (name: string): Ref => builder.newRef('real', 1, name, 'global');
  return {
    size: known.kind === 'const' ? known : get(builder.newLocal('int', 'quantities', 'global')),
    sums: ref(power === 2 ? 'factor' : 'sums'),
    largest: ref('largest'),
  };
}

function sizeOf(entries: readonly Entry[]): Expr {
  const singles = entries.filter((entry) => entry.kind === 'single').length;
  return entries.reduce<Expr>((sum, e) => (e.kind === 'span' ? add(sum, e.span.count) : sum), int(singles));
}

/** Whether the forms cost less than the rows. The constants are measured, in units of one multiplication and addition in a row. */
function paysFor(rows: Expr, terms: number, { groups, of, ofGroups }: Statistics): Expr {
  let byRows: Expr = real(terms);
  let byForms: Expr = real(0);
  for (const [{ power }, { size }] of of) {
    const n = toReal(size);
    byRows = add(byRows, n);
    const squares = add(real(25), mul(n, add(n, real(10))));
    byForms = add(byForms, power === 2 ? squares : add(real(150), mul(real(8), n)));
  }
  if (ofGroups.size === 0) return compare('gt', mul(rows, byRows), byForms);
  for (const [{ own }, { size }] of ofGroups) {
    const n = toReal(size);
    byRows = add(byRows, n);
    const byGroup = add(real(8 + 4 * own), mul(n, n));
    byForms = add(byForms, add(real(150), mul(toReal(get(groups.count)), byGroup)));
  }
  return and(compare('gt', get(groups.count), int(0)), compare('gt', mul(rows, byRows), byForms));
}

interface RowMemory {
  /** The sums or moments to which rows are added. */
  readonly sums: Ref;
  readonly row: Ref;
}

function allocate(builder: Builder, { power }: RowSum, { size, sums, largest }: SumStatistics): RowMemory {
  builder.allocateRef(largest, [add(size, int(1))], 'zero');
  const row = builder.allocate('real', [add(size, int(1))], 'row', 'zero');
  if (power === 2) {
    builder.allocateRef(sums, [count([add(size, int(4)), add(size, int(1))])], 'zero');
    return { sums: builder.allocate('real', [count([int(2), size, add(size, int(1))])], 'moments', 'zero'), row };
  }
  builder.allocateRef(sums, [mul(int(2), size)], 'zero');
  return { sums, row };
}

/** Completes the sums after the last row; returns whether the data permit their use. */
function finish(builder: Builder, power: number, { size, sums, largest }: SumStatistics, moments: Ref): Expr {
  const args = [pointer(largest), real(LEAST), real(GREATEST), add(size, int(1))];
  const isWithin = builder.kernelResult('int', 'all_within', args);
  if (power !== 2) return isWithin;
  const [to, from] = [pointer(sums), pointer(moments)];
  return and(isWithin, builder.kernelResult('int', 'residual_factor', [to, from, to, from, size]));
}

function addRow(
  builder: Builder,
  sum: RowSum,
  { size, sums: to, largest }: { readonly size: Expr; readonly sums: KernelArgument; readonly largest: Ref },
  row: Ref,
  at: (e: Expr) => Expr,
): void {
  const note = (): void =>
    builder.kernel('largest_add', [pointer(largest), pointer(largest), pointer(row), add(size, int(1))]);
  for (const others of sum.alsoFinite) {
    fill(builder, row, sum.entries, (_, k) => at(others[k]));
    note();
  }
  const weight = builder.bind(at(sum.weight), 'weight');
  fill(builder, row, sum.entries, (entry, _, k) => {
    if (entry.kind === 'single') return at(entry.data);
    const data = at(entry.span.data(k));
    return entry.span.negative ? neg(data) : data;
  });
  builder.store(row, size, weight);
  note();
  const from = pointer(row);
  if (sum.power === 2) builder.kernel('moments_add', [to, to, from, weight, size]);
  else builder.kernel('sums_add', [to, to, from, size]);
}

/** Writes one number per single entry, and one per element of a span. */
function fill(
  builder: Builder,
  to: Ref,
  entries: readonly Entry[],
  value: (entry: Entry, position: number, k: Expr) => Expr,
): void {
  let offset: Expr = int(0);
  entries.forEach((entry, position) => {
    const start = offset;
    if (entry.kind === 'single') builder.store(to, start, value(entry, position, int(0)));
    else builder.each(entry.span.count, (k) => builder.store(to, add(start, k), value(entry, position, k)));
    offset = add(start, entry.kind === 'single' ? int(1) : entry.span.count);
  });
}

/** Adds the forms of the sums to `target` if they are valid; returns an int that is nonzero if they are. */
export function readStatistics(
  builder: Builder,
  loop: ForLoop,
  { sums, conditions }: RowSums,
  { usable, of, groups, ofGroups }: Statistics,
): Expr {
  const isDone = builder.newLocal('int', 'is_done');
  builder.assign(isDone, int(0));
  builder.if(compare('ne', get(usable), int(0)), () => {
    const write = (to: Ref, entries: readonly Entry[]): void => writeQuantities(builder, to, entries);
    const forms = new Map([
      ...[...of].map(([sum, own]) => [sum, formOf(builder, sum, own)] as const),
      ...[...ofGroups].map(([sum, own]) => [sum, groupForm(builder, sum, own, groups, write)] as const),
    ]);
    const isRight = [...forms.values()].map((form) => form.isRight);
    builder.assign(isDone, [...conditions, ...isRight].reduce(and, int(1)));
    builder.if(compare('ne', get(isDone), int(0)), () => {
      for (const sum of sums) {
        const form = forms.get(sum)?.value ?? rowsOf(loop);
        const total = sum.factors.reduce((product, factor) => mul(product, factor), form);
        if (typeof sum.to === 'string') builder.target(total, sum.to);
        else builder.assign(sum.to, add(get(sum.to), total));
      }
    });
  });
  return get(isDone);
}

function writeQuantities(builder: Builder, to: Ref, entries: readonly Entry[]): void {
  fill(builder, to, entries, (entry, _, i) =>
    entry.kind === 'single' ? entry.quantity : load(entry.span.elements, add(entry.span.offset, i)),
  );
}

/** The form of one sum, evaluated at the quantities, and whether it is as accurate as the sum over rows. */
function formOf(
  builder: Builder,
  { entries, power }: RowSum,
  { size, sums, largest }: SumStatistics,
): { readonly value: Expr; readonly isRight: Expr } {
  const quantities = builder.allocate('real', [size], 'quantities');
  writeQuantities(builder, quantities, entries);
  const [from, x] = [pointer(sums), pointer(quantities)];
  if (power === 1) {
    const form = builder.allocate('real', [int(1)], 'form');
    const bound = builder.kernelResult('real', 'bound_of', [x, pointer(largest), size]);
    builder.kernel('linear_form', [pointer(form), from, x, size]);
    return { value: load(form, int(0)), isRight: compare('lt', bound, real(GREATEST)) };
  }
  const form = builder.allocate('real', [int(3)], 'form');
  const slopes = builder.allocate('real', [size], 'slopes');
  builder.kernel('residual_form', [pointer(form), pointer(slopes), from, pointer(largest), x, size]);
  const [value, error, bound] = [0, 1, 2].map((k) => load(form, int(k)));
  const isRight = [
    compare('gt', bound, real(LEAST)),
    compare('lt', bound, real(GREATEST)),
    compare('lt', error, mul(real(MOST_ERROR), value)),
  ].reduce(and);
  return { value, isRight };
}

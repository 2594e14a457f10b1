import { type Builder, count, pointer } from '../ir/builder.js';
import { add, and, compare, get, int, iterationsOf, load, mul, neg, real, toReal } from '../ir/expressions.js';
import type { Expr, Local, Ref, StatementOf } from '../ir/nodes.js';
import { mapExpression } from '../ir/walk.js';
import { type Entry, GREATEST, LEAST, type RowSum, type RowSums } from './row-sums.js';

type ForLoop = StatementOf<'for'>;

/**
 * A sum of squares below this share of the square of its largest terms is left to the rows. The form has a relative error of 1e-31 through the
 * share, the rows one of 1e-16 through its root, so that above it the form is the better one, unless the rows happen to be exact.
 */
const CANCELLED = 1e-24;

/** Where `precompute` leaves the sums over the rows of a loop. */
export interface Statistics {
  /** Whether there are any. */
  readonly usable: Local;
  readonly of: readonly SumStatistics[];
}

interface SumStatistics {
  /** The number of quantities. */
  readonly size: Local;
  readonly moments: Ref;
  /** The greatest absolute data of any row by quantity, then the greatest weight. */
  readonly largest: Ref;
  /** Of squares, the norms of the columns of data by quantity, weighted. */
  readonly norms: Ref;
}

/** Adds up what the rows of the loop hold, where the loop runs. */
export function sumRows(builder: Builder, loop: ForLoop, condition: Expr, { sums }: RowSums): Statistics {
  const usable = builder.newLocal('int', 'has_statistics', 'global');
  const of = sums.map(
    (sum): SumStatistics => ({
      size: builder.newLocal('int', 'quantities', 'global'),
      moments: builder.newRef('real', 1, sum.power === 2 ? 'moments' : 'sums', 'global'),
      largest: builder.newRef('real', 1, 'largest', 'global'),
      norms: builder.newRef('real', 1, 'norms', 'global'),
    }),
  );
  builder.assign(usable, int(0));
  builder.if(condition, () => {
    sums.forEach((sum, k) => {
      builder.assign(of[k].size, sizeOf(sum.entries));
    });
    const rows = builder.bind(iterationsOf(loop.from, loop.to), 'rows');
    builder.if(paysFor(rows, sums, of), () => {
      const scratch = sums.map((sum, k) => allocate(builder, sum, of[k]));
      builder.for(loop.from, loop.to, (row) => {
        const at = (e: Expr): Expr => mapExpression(e, (n) => (n.kind === 'get' && n.local === loop.index ? row : n));
        sums.forEach((sum, k) => {
          addRow(builder, sum, of[k], scratch[k], at);
        });
      });
      builder.assign(usable, int(1));
      sums.forEach((sum, k) => {
        const { size, moments, largest, norms } = of[k];
        if (sum.power === 2) {
          builder.allocateRef(norms, [get(size)]);
          builder.kernel('moments_mirror', [pointer(moments), pointer(norms), pointer(moments), get(size)]);
        }
        const isWithin = builder.kernelResult('int', 'all_within', [
          pointer(largest),
          real(LEAST),
          real(GREATEST),
          add(get(size), int(1)),
        ]);
        builder.assign(usable, and(get(usable), isWithin));
      });
    });
  });
  return { usable, of };
}

/** Whether the forms take less time than the rows; with numbers measured in additions and products of one row. */
function paysFor(rows: Expr, sums: readonly RowSum[], of: readonly SumStatistics[]): Expr {
  let byRows: Expr = real(0);
  let byForms: Expr = real(0);
  sums.forEach(({ power }, k) => {
    const n = toReal(get(of[k].size));
    byRows = add(byRows, add(n, real(1)));
    byForms = add(byForms, add(real(40), mul(real(5), power === 2 ? mul(n, n) : n)));
  });
  return compare('gt', mul(toReal(rows), byRows), byForms);
}

function sizeOf(entries: readonly Entry[]): Expr {
  const singles = entries.filter((entry) => entry.kind === 'single').length;
  return entries.reduce<Expr>((sum, e) => (e.kind === 'span' ? add(sum, e.span.count) : sum), int(singles));
}

function allocate(builder: Builder, { power }: RowSum, { size, moments, largest }: SumStatistics): Ref {
  const n = get(size);
  builder.allocateRef(moments, [power === 2 ? count([int(2), n, add(n, int(1))]) : mul(int(2), n)], 'zero');
  builder.allocateRef(largest, [add(n, int(1))], 'zero');
  return builder.allocate('real', [add(n, int(1))], 'row', 'zero');
}

function addRow(
  builder: Builder,
  sum: RowSum,
  { size, moments, largest }: SumStatistics,
  row: Ref,
  at: (e: Expr) => Expr,
): void {
  const n = get(size);
  const note = (): void =>
    builder.kernel('largest_add', [pointer(largest), pointer(largest), pointer(row), add(n, int(1))]);
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
  builder.store(row, n, weight);
  note();
  const [to, from] = [pointer(moments), pointer(row)];
  if (sum.power === 2) builder.kernel('moments_add', [to, to, from, weight, n]);
  else builder.kernel('sums_add', [to, to, from, n]);
}

/** Writes a number for each single entry and for each element of the others. */
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

/** Adds the forms of the sums to `target` where that is right; returns an int that is not 0 where it has done so. */
export function readStatistics(builder: Builder, { sums, conditions }: RowSums, { usable, of }: Statistics): Expr {
  const isDone = builder.newLocal('int', 'is_done');
  builder.assign(isDone, int(0));
  builder.if(compare('ne', get(usable), int(0)), () => {
    const forms = sums.map((sum, k) => formOf(builder, sum, of[k]));
    builder.assign(isDone, [...conditions, ...forms.map(({ isRight }) => isRight)].reduce(and));
    builder.if(compare('ne', get(isDone), int(0)), () => {
      sums.forEach(({ factors, to }, k) => {
        const total = factors.reduce((product, factor) => mul(product, factor), forms[k].value);
        if (typeof to === 'string') builder.target(total, to);
        else builder.assign(to, add(get(to), total));
      });
    });
  });
  return get(isDone);
}

/** The form of one sum at the quantities, and whether it is as exact as the rows. */
function formOf(
  builder: Builder,
  { entries, power }: RowSum,
  { size, moments, largest, norms }: SumStatistics,
): { readonly value: Expr; readonly isRight: Expr } {
  const n = get(size);
  const quantities = builder.allocate('real', [n], 'quantities');
  fill(builder, quantities, entries, (entry, _, i) =>
    entry.kind === 'single' ? entry.quantity : load(entry.span.elements, i),
  );
  const form = builder.allocate('real', [int(1)], 'form');
  const [to, from, x] = [pointer(form), pointer(moments), pointer(quantities)];
  const value = load(form, int(0));
  const bound = builder.kernelResult('real', 'bound_of', [x, pointer(largest), n]);
  const isBelow = compare('lt', bound, real(GREATEST));
  if (power === 1) {
    builder.kernel('linear_form', [to, from, x, n]);
    return { value, isRight: isBelow };
  }
  const slopes = builder.allocate('real', [n], 'slopes');
  builder.kernel('quadratic_form', [to, pointer(slopes), from, x, n]);
  const norm = builder.kernelResult('real', 'bound_of', [x, pointer(norms), n]);
  const isPrecise = compare('gt', value, mul(real(CANCELLED), mul(norm, norm)));
  return { value, isRight: [compare('gt', bound, real(LEAST)), isBelow, isPrecise].reduce(and) };
}

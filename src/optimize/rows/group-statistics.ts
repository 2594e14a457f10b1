import { type Builder, count, pointer } from '../../ir/builder.js';
import { add, and, compare, get, int, iterationsOf, load, mul, real, sub, toReal } from '../../ir/expressions.js';
import type { Expr, Local, Ref, StatementOf } from '../../ir/nodes.js';
import { mapExpression } from '../../ir/walk.js';
import { distinctRows, listedRows } from './distinct-rows.js';
import { type Entry, GREATEST, LEAST, type RowSum, type RowSums } from './row-sums.js';

type ForLoop = StatementOf<'for'>;

/**
 * If the error bound of a form exceeds this multiple of the value, in units of 2⁻⁵², the loop runs over the rows instead: the residuals are
 * then small compared with the data, such as uncentered years. The factor and its products are doubles, whose errors are the same for all
 * rows of a group; the errors of separate rows average out.
 */
const MOST_ERROR = 100;

/** The groups of a loop's rows: those with the same lookups. */
export interface Groups {
  /** The number of groups, a global; 0 if there are too many. */
  readonly count: Local;
  /** The lookups of each group, one after the other. */
  readonly lookups: Ref;
  readonly indexes: readonly Expr[];
  /** The position of an index among the lookups; -1 for others. */
  readonly lookupOf: (index: Expr) => number;
}

/** Variables in which `precompute` stores a sum over groups. */
export interface GroupStatistics {
  /** The number of quantities, shared ones first: a constant or a global. */
  readonly size: Expr;
  /** The triangular factors of the groups' moments. */
  readonly factors: Ref;
  /** For each quantity the maximum absolute data of any row, then the maximum weight. */
  readonly largest: Ref;
}

export function newGroups(builder: Builder, sums: RowSums): Groups {
  return {
    count: builder.newLocal('int', 'groups', 'global'),
    lookups: builder.newRef('int', 1, 'lookups', 'global'),
    indexes: sums.lookups,
    lookupOf: (index) => sums.lookupOf(index),
  };
}

/** Groups the rows of the loop; returns the group of each row. `at` evaluates an expression of the loop's body at a row. */
export function groupRows(
  builder: Builder,
  loop: ForLoop,
  { count: found, indexes, lookups }: Groups,
  at: (e: Expr, row: Expr) => Expr,
): Ref {
  const rows = builder.bind(iterationsOf(loop.from, loop.to), 'extent');
  const { limit, listed } = listedRows(builder, rows);
  const width = int(indexes.length);
  // The lists that stay are allocated first, so that the memory of the others can be released.
  const groupOf = builder.allocate('int', [listed], 'group_of');
  const first = builder.allocate('int', [limit], 'first');
  const keys = builder.allocate('real', [listed, width], 'keys');
  const counts = builder.allocate('real', [limit], 'sizes');
  builder.each(listed, (i) => {
    indexes.forEach((index, k) => {
      builder.store(keys, add(mul(i, width), int(k)), toReal(at(index, add(i, loop.from))));
    });
  });
  builder.assign(found, distinctRows(builder, { first, counts, groups: groupOf, keys, starts: width }, listed, limit));
  builder.allocateRef(lookups, [mul(get(found), width)]);
  builder.each(get(found), (g) => {
    const row = builder.bind(add(load(first, g), loop.from), 'row');
    indexes.forEach((index, k) => {
      builder.store(lookups, add(mul(g, width), int(k)), at(index, row));
    });
  });
  return groupOf;
}

/** Memory for the moments of each group, from which the factors are computed. */
export function allocateMoments(
  builder: Builder,
  { count: groups }: Groups,
  { factors, largest, size }: GroupStatistics,
) {
  // The factors of two groups are interleaved; if the number of groups is odd, the last one is paired with zeros.
  builder.allocateRef(factors, [count([add(get(groups), int(1)), size, size])], 'zero');
  builder.allocateRef(largest, [add(size, int(1))], 'zero');
  return builder.allocate('real', [count([get(groups), momentsSize(size)])], 'moments', 'zero');
}

function momentsSize(size: Expr): Expr {
  return count([int(2), size, add(size, int(1))]);
}

export function momentsOf(moments: Ref, size: Expr, group: Expr) {
  return pointer(moments, mul(group, momentsSize(size)));
}

/** Factors the moments. Returns whether the data permit the use of the factors. */
export function factorMoments(
  builder: Builder,
  { count: groups }: Groups,
  { factors, largest, size }: GroupStatistics,
  moments: Ref,
): Expr {
  const isRight = builder.newLocal('int', 'is_definite');
  const within = [pointer(largest), real(LEAST), real(GREATEST), add(size, int(1))];
  builder.assign(isRight, builder.kernelResult('int', 'all_within', within));
  builder.each(get(groups), (g) => {
    const from = momentsOf(moments, size, g);
    const to = pointer(factors);
    const isDefinite = builder.kernelResult('int', 'moments_factor', [to, from, to, from, size, g]);
    builder.assign(isRight, and(get(isRight), isDefinite));
  });
  return get(isRight);
}

/** The form of a sum over groups, evaluated at the quantities, and whether it is as accurate as the sum over rows. */
export function groupForm(
  builder: Builder,
  { entries, own }: RowSum,
  { factors, largest, size }: GroupStatistics,
  { count: groups, indexes, lookupOf, lookups }: Groups,
  writeShared: (to: Ref, entries: readonly Entry[]) => void,
): { readonly value: Expr; readonly isRight: Expr } {
  const ownSize = int(own);
  const sharedSize = builder.bind(sub(size, ownSize), 'shared');
  const shared = builder.allocate('real', [sharedSize], 'quantities');
  writeShared(shared, entries.slice(0, entries.length - own));
  const ownElements = count([get(groups), ownSize]);
  const owned = builder.allocate('real', [ownElements], 'own_quantities');
  const quantities = entries
    .slice(entries.length - own)
    .flatMap((entry) => (entry.kind === 'single' ? [entry.quantity] : []));
  builder.each(get(groups), (g) => {
    const inGroup = (node: Expr): Expr => {
      const k = node.kind === 'load' ? lookupOf(node.index) : -1;
      return node.kind !== 'load' || k < 0
        ? node
        : load(node.ref, load(lookups, add(mul(g, int(indexes.length)), int(k))));
    };
    quantities.forEach((quantity, k) => {
      builder.store(owned, add(mul(int(k), get(groups)), g), mapExpression(quantity, inGroup));
    });
  });
  const form = builder.allocate('real', [int(3)], 'form');
  const sharedSlopes = builder.allocate('real', [sharedSize], 'slopes');
  const ownSlopes = builder.allocate('real', [ownElements], 'own_slopes');
  builder.kernel('group_form', [
    ...[form, sharedSlopes, ownSlopes, factors, largest, shared, owned].map((ref) => pointer(ref)),
    sharedSize,
    ownSize,
    get(groups),
  ]);
  const [value, error, bound] = [0, 1, 2].map((k) => load(form, int(k)));
  const isRight = [
    compare('lt', bound, real(GREATEST)),
    compare('gt', bound, real(LEAST)),
    compare('lt', error, mul(real(MOST_ERROR), value)),
  ].reduce(and);
  return { value, isRight };
}

/** Splits intervals of different scales into panels with an axis each. */
import { type Domain, extentOf } from './scale.js';

/** Consecutive items on one axis. */
interface CommonAxis<Item> {
  readonly domain: Domain;
  readonly items: readonly Item[];
}

/** The minimum fraction of its axis that the narrowest item covers. */
const LEAST_SHARE = 1 / 25;

/** An item starts a new axis if a common one would show it, or the previous items, as little more than points. */
export function onCommonAxes<Item>(
  items: readonly Item[],
  endsOf: (item: Item) => readonly number[],
): readonly CommonAxis<Item>[] {
  const axes: { domain: Domain; narrowest: number; items: Item[] }[] = [];
  for (const item of items) {
    const ends = endsOf(item);
    const [from, to] = extentOf(ends);
    const width = widthOf(ends);
    const last = axes.at(-1);
    const domain: Domain =
      last === undefined ? [from, to] : [Math.min(last.domain[0], from), Math.max(last.domain[1], to)];
    const narrowest = Math.min(last?.narrowest ?? Number.POSITIVE_INFINITY, width);
    if (last !== undefined && narrowest >= LEAST_SHARE * (domain[1] - domain[0])) {
      last.domain = domain;
      last.narrowest = narrowest;
      last.items.push(item);
    } else axes.push({ domain: [from, to], narrowest: width, items: [item] });
  }
  return axes;
}

/** Infinite for constants, which look the same on any axis. */
function widthOf(ends: readonly number[]): number {
  const finite = ends.filter(Number.isFinite);
  const width = Math.max(...finite) - Math.min(...finite);
  return width > 0 ? width : Number.POSITIVE_INFINITY;
}

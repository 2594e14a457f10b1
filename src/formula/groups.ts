/** The groups of a column, or of combinations of several columns. */
import type { TableColumn } from '../tables/columns.js';
import { asCategories } from '../tables/table.js';

export interface CombinedGroups {
  /** The headings of the columns, joined by `:`. */
  readonly heading: string;
  /** The labels of the combinations in the table, in the order of the levels of the first column, then of the second one, … */
  readonly labels: readonly string[];
  /** The combination of each row, from 1. */
  readonly codes: Float64Array;
}

export function combinedGroups(columns: readonly TableColumn[]): CombinedGroups {
  const [first, ...others] = columns.map(groupsOf);
  return others.reduce(combined, first);
}

function groupsOf(column: TableColumn): CombinedGroups {
  const { levels, values } = asCategories(column);
  return { heading: column.name, labels: levels, codes: values };
}

function combined(first: CombinedGroups, second: CombinedGroups): CombinedGroups {
  const most = second.labels.length;
  const pairs = first.codes.map((code, row) => (code - 1) * most + second.codes[row] - 1);
  const present = [...new Set(pairs)].sort((a, b) => a - b);
  const places = new Map(present.map((pair, place) => [pair, place + 1]));
  return {
    heading: `${first.heading}:${second.heading}`,
    labels: present.map((pair) => `${first.labels[Math.floor(pair / most)]}:${second.labels[pair % most]}`),
    codes: pairs.map((pair) => places.get(pair) ?? Number.NaN),
  };
}

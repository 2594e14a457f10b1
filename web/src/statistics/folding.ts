/** Collapses the summaries of a large vector or matrix into one line, which can be expanded. */

import { append } from '#engine/base/multimap.js';
import { variableOf } from '#engine/formats/columns.js';
import type { QuantitySummary } from '../state/quantity-summary.js';

/** A collapsed variable, with the worst diagnostics among its elements. */
interface FoldedVariable {
  readonly kind: 'variable';
  readonly name: string;
  readonly count: number;
  readonly isOpen: boolean;
  readonly worst: Pick<QuantitySummary, 'essBulk' | 'essTail' | 'rhat'>;
}

export interface SummaryElement {
  readonly kind: 'element';
  readonly summary: QuantitySummary;
}

export type SummaryRow = FoldedVariable | SummaryElement;

/** Maximum number of elements of a variable that is not collapsed. */
const MOST_SHOWN = 12;

export function elementRows(summaries: readonly QuantitySummary[]): readonly SummaryElement[] {
  return summaries.map((summary) => ({ kind: 'element', summary }));
}

/** The summaries in order. The elements of large variables follow a line for the variable if it is expanded. */
export function foldedRows(summaries: readonly QuantitySummary[], open: ReadonlySet<string>): readonly SummaryRow[] {
  const variables = new Map<string, QuantitySummary[]>();
  for (const summary of summaries) {
    const name = variableOf(summary.name);
    append(variables, name, summary);
  }
  return [...variables].flatMap(([name, elements]): readonly SummaryRow[] => {
    if (elements.length <= MOST_SHOWN) return elementRows(elements);
    const isOpen = open.has(name);
    const worst = {
      essBulk: elements.map(({ essBulk }) => essBulk).reduce(lesser),
      essTail: elements.map(({ essTail }) => essTail).reduce(lesser),
      rhat: elements.map(({ rhat }) => rhat).reduce(greater),
    };
    const folded: FoldedVariable = { kind: 'variable', name, count: elements.length, isOpen, worst };
    return isOpen ? [folded, ...elementRows(elements)] : [folded];
  });
}

/** Summaries whose names or labels contain the search text; `theta[*]` finds all elements of `theta`. */
export function matchingSummaries(
  summaries: readonly QuantitySummary[],
  search: string,
  labeling: (name: string) => string,
): readonly QuantitySummary[] {
  const text = search
    .trim()
    .toLowerCase()
    .replace(/\[\s*\*(?:\s*,\s*\*)*\s*\]$/, '[');
  if (text === '') return summaries;
  return summaries.filter(({ name }) => [name, labeling(name)].some((each) => each.toLowerCase().includes(text)));
}

/** The minimum, ignoring NaN, which constant elements have. */
function lesser(a: number, b: number): number {
  return Number.isNaN(a) || b < a ? b : a;
}

function greater(a: number, b: number): number {
  return Number.isNaN(a) || b > a ? b : a;
}

import type { Estimate } from '../../inference/validation/leave-one-out.js';
import { alignedTable, cellText } from './tables.js';

/** A table of estimates with their standard errors, by name. */
export function estimatesTable(estimates: Readonly<Record<string, Estimate>>, digits: number): string {
  return alignedTable([
    ['', 'Estimate', 'SE'],
    ...Object.entries(estimates).map(([name, { estimate, standardError }]) => [
      name,
      cellText(estimate, digits),
      cellText(standardError, digits),
    ]),
  ]);
}

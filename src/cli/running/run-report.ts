/** Assesses the draws at the end of a run. */

import type { Finding } from '../../inference/diagnostics/findings.js';
import { enumeration } from '../../requests/enumeration.js';

/** One line per problem, or one line that reports no problems. */
export function reportText(found: readonly Finding[]): string {
  const problems = found.filter(({ ok }) => !ok);
  const [first] = found;
  if (first?.check === 'simulations' && problems.length === 0) return `${first.message}\n`;
  if (problems.length > 0) return problems.map(({ message }) => `warning: ${message}\n`).join('');
  const checked = CHECKED.filter(([check]) => found.some((each) => each.check === check)).map(([, words]) => words);
  return checked.length === 0 ? '' : `No problems found in ${enumeration(checked)}.\n`;
}

const CHECKED: readonly (readonly [Finding['check'], string])[] = [
  ['divergences', 'divergences'],
  ['treedepth', 'tree depth'],
  ['energy', 'E-BFMI'],
  ['rhat', 'R-hat'],
  ['ess', 'effective sample sizes'],
];

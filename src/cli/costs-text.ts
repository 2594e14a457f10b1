import { COST_SENTENCES, costStatement, reasonStatements } from '../cost-sentences.js';
import type { CostDetail } from '../explain.js';
import { firstLine } from '../run/profile-text.js';
import { write } from '../sentences/statement.js';

/** Costs of statements, for people: the location, the statement, its cost, and why it does not cost less. */
export function costsText(costs: readonly CostDetail[]): string {
  return costs
    .map((cost) => {
      const { column, file, line, text } = cost;
      const why = reasonStatements(cost).map((reason) => `    ${write(COST_SENTENCES, [reason])}\n`);
      return `${file}:${line}:${column + 1}: ${firstLine(text)}\n  ${costText(cost)}\n${why.join('')}`;
    })
    .join('');
}

/** What an evaluation costs for a statement. */
export function costText(cost: Pick<CostDetail, 'by' | 'cost' | 'terms_by'>): string {
  const enumeration = new Intl.ListFormat('en-GB');
  return write(COST_SENTENCES, [costStatement(cost, (names) => enumeration.format(names))]);
}

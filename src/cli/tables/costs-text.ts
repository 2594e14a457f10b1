import { costText, reasonTexts } from '../../chain/cost-sentences.js';
import type { CostDetail } from '../../explain.js';
import { firstLine } from '../../fits/profile-text.js';

/** Costs of statements as text: the location, the statement, its cost, and the reasons why the cost is not lower. */
export function costsText(costs: readonly CostDetail[]): string {
  return costs
    .map((cost) => {
      const { column, file, line, text } = cost;
      const why = reasonTexts(cost).map((reason) => `    ${reason}\n`);
      return `${file}:${line}:${column + 1}: ${firstLine(text)}\n  ${costText(cost)}\n${why.join('')}`;
    })
    .join('');
}

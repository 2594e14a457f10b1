import type { CostDetail } from '../explain.js';

const LONGEST_STATEMENT = 100;

/** Costs of statements, for people: the location, the statement, its cost, and why it does not cost less. */
export function costsText(costs: readonly CostDetail[]): string {
  return costs
    .map((cost) => {
      const { column, file, line, reasons, text } = cost;
      const why = reasons.map(({ against, text: reason }) => `    ${AGAINST[against]}: ${reason}\n`);
      return `${file}:${line}:${column + 1}: ${firstLine(text)}\n  ${costText(cost)}\n${why.join('')}`;
    })
    .join('');
}

/** A statement on one line. */
export function firstLine(text: string): string {
  const [first = '', ...others] = text.trim().split('\n');
  return first.length > LONGEST_STATEMENT || others.length > 0 ? `${first.slice(0, LONGEST_STATEMENT)} …` : first;
}

const AGAINST = { sums: 'no sums', 'distinct rows': 'equal rows are not merged' } as const;

/** What an evaluation costs for a statement. */
export function costText({ by, cost, terms_by }: Pick<CostDetail, 'by' | 'cost' | 'terms_by'>): string {
  switch (cost) {
    case 'data':
      return 'nothing: computed when data are bound';
    case 'once':
      return 'once per evaluation';
    case 'sums':
      return 'constant: sums over the rows are computed when data are bound';
    case 'groups':
      return `per group of rows with equal ${listOf(by)}; per row if there are more than half as many groups as rows`;
    case 'distinct rows':
      return `per distinct row of ${listOf(by)}; per row if more than half of the rows differ`;
    case 'rows':
      return terms_by.length === 0 ? 'per row' : `per row, with costly terms per distinct value of ${listOf(terms_by)}`;
  }
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'data' : new Intl.ListFormat('en-GB').format(names);
}

/** Sentences about the cost of a statement in an evaluation of the log density. */

import { type Statement, write } from '../base/statement.js';
import type { CostDetail } from '../explain.js';
import { enumeration } from '../requests/enumeration.js';

const BY = '{count, plural, =0 {data} other {{names}}}';

/** Costs and their reasons in English. */
export const COST_SENTENCES = {
  costData: 'nothing: computed when data are bound',
  costOnce: 'once per evaluation',
  costSums: 'constant: sums over the rows are computed when data are bound',
  costGroups: `per group of rows with equal ${BY}; per row if there are more than half as many groups as rows`,
  costDistinctRows: `per distinct row of ${BY}; per row if more than half of the rows differ`,
  costRows: 'per row',
  costTerms: `per row, with costly terms per distinct value of ${BY}`,
  costNoSums: 'no sums: {reason}',
  costNotMerged: 'equal rows are not merged: {reason}',
} as const;

type CostStatement = Statement<keyof typeof COST_SENTENCES>;

/** The cost of a statement. `enumeration` joins the names of variables. */
export function costStatement(
  { by, cost, terms_by }: Pick<CostDetail, 'by' | 'cost' | 'terms_by'>,
  enumeration: (names: readonly string[]) => string,
): CostStatement {
  const distinguishing = (names: readonly string[]) => ({ count: names.length, names: enumeration(names) });
  switch (cost) {
    case 'data':
      return { key: 'costData', values: {} };
    case 'once':
      return { key: 'costOnce', values: {} };
    case 'sums':
      return { key: 'costSums', values: {} };
    case 'groups':
      return { key: 'costGroups', values: distinguishing(by) };
    case 'distinct rows':
      return { key: 'costDistinctRows', values: distinguishing(by) };
    case 'rows':
      return terms_by.length === 0
        ? { key: 'costRows', values: {} }
        : { key: 'costTerms', values: distinguishing(terms_by) };
  }
}

/** The reasons why a statement does not cost less, in English. */
export function reasonStatements({ reasons }: Pick<CostDetail, 'reasons'>): readonly CostStatement[] {
  return reasons.map(({ against, text }) => ({
    key: against === 'sums' ? 'costNoSums' : 'costNotMerged',
    values: { reason: text },
  }));
}

/** The cost of a statement in English. */
export function costText(cost: Pick<CostDetail, 'by' | 'cost' | 'terms_by'>): string {
  return write(COST_SENTENCES, [costStatement(cost, enumeration)]);
}

/** The reasons why a statement does not cost less, as English texts. */
export function reasonTexts(cost: Pick<CostDetail, 'reasons'>): readonly string[] {
  return reasonStatements(cost).map((reason) => write(COST_SENTENCES, [reason]));
}

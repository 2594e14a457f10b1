/** The outcome as data: numbers, counts, 0 and 1, or the codes of ordered categories. */
import { valuesJson } from '../tables/members.js';
import { asCategories } from '../tables/table.js';
import type { NamedColumn } from './coding.js';
import { codesNote, type DataVariable } from './data-variable.js';
import type { Family } from './families.js';
import { type FormulaFault, faultAt } from './faults.js';
import type { ColumnName } from './formula.js';
import type { MissingOutcome } from './imputation.js';
import type { Names } from './names.js';
import { isConstant } from './statistics.js';

export interface Outcome {
  readonly name: string;
  /** The column of the table. */
  readonly heading: string;
  readonly data: readonly DataVariable[];
  /** If it is missing in some rows: the variables for them. */
  readonly missing?: MissingOutcome;
  /** One value for each row in which it is known, as in the data. */
  readonly values: Float64Array;
  /** The texts for 0 and 1, or ordered categories. */
  readonly labels?: readonly string[];
  /** For ordered categories, the name of their number. */
  readonly count?: string;
}

/** Maximum number of ordered categories. */
const MOST_CATEGORIES = 20;

/** The outcome, or why the family cannot have it. */
export function outcomeOf(
  at: ColumnName,
  { column, name }: NamedColumn,
  family: Family,
  names: Names,
  size: string,
  order: readonly string[] | undefined,
): { readonly outcome: Outcome } | { readonly fault: FormulaFault } {
  const fault = (key: FormulaFault['key'], values: FormulaFault['values'] = {}) => ({
    fault: faultAt(at.span, key, { name: column.name, ...values }),
  });
  const { kind, values } = column;
  const heading = column.name === name ? '' : column.name;
  const named = { name, heading: column.name };
  if (kind === 'date') return fault('outcomeIsDate');
  if (isConstant(values)) return fault('constantOutcome');
  const categories = asCategories(column);
  const { levels } = categories;
  const noteOf = (more: string) => [heading, more].filter((part) => part !== '').join(', ');
  switch (family) {
    case 'bernoulli': {
      if (levels.length !== 2) return fault('outcomeNotBinary', { levels: levels.length });
      const codes = categories.values.map((code) => code - 1);
      const note = levels.join() === '0,1' ? '' : `0 = ${levels[0]}, 1 = ${levels[1]}`;
      const json = valuesJson({ ...column, kind: 'integer', values: codes, exact: undefined });
      const type = `array[${size}] int<lower=0, upper=1>`;
      const data = [{ name, type, json, note: noteOf(note) }];
      return { outcome: { ...named, values: codes, data, ...(note !== '' && { labels: levels }) } };
    }
    case 'cumulative': {
      if (kind === 'real' || levels.length < 3 || levels.length > MOST_CATEGORIES)
        return fault('outcomeNotOrdinal', { levels: levels.length, most: MOST_CATEGORIES });
      const ordered = order ?? levels;
      const absent = levels.find((level) => !ordered.includes(level));
      if (absent !== undefined) return fault('orderDiffers', { level: absent });
      const labels = ordered.filter((level) => levels.includes(level));
      const codes = categories.values.map((code) => labels.indexOf(levels[code - 1]) + 1);
      const count = names.free(`N_${name}`);
      const json = valuesJson({ ...column, kind: 'integer', values: codes, exact: undefined });
      const data = [
        { name: count, type: 'int<lower=3>', json: `${labels.length}`, note: `categories of ${column.name}` },
        {
          name,
          type: `array[${size}] int<lower=1, upper=${count}>`,
          json,
          note: noteOf(codesNote(labels)),
        },
      ];
      return { outcome: { ...named, values: codes, data, labels, count } };
    }
    case 'poisson':
    case 'negbinomial': {
      if (kind === 'text') return fault('outcomeIsText', { levels: levels.length });
      const wrong = values.find((value) => value < 0 || !Number.isInteger(value));
      if (wrong !== undefined) return fault('outcomeNotCount', { value: wrong });
      const json = valuesJson({ ...column, kind: 'integer' });
      return {
        outcome: { ...named, values, data: [{ name, type: `array[${size}] int<lower=0>`, json, note: heading }] },
      };
    }
    default: {
      if (kind === 'text') return fault('outcomeIsText', { levels: levels.length });
      const note = noteOf(column.sign ?? '');
      return {
        outcome: { ...named, values, data: [{ name, type: `vector[${size}]`, json: valuesJson(column), note }] },
      };
    }
  }
}

import type { TermName } from '../../terms/term-names.js';
import { numerals, t } from '../../words/messages.js';
import type { PlainKey } from '../../words/types.js';
import { Term } from '../Term.js';

interface EstimateRow {
  readonly name: string;
  /** Explanation of the quantity. */
  readonly meaning: PlainKey;
  readonly term?: TermName;
  readonly estimate: { readonly estimate: number; readonly standardError: number };
}

/** Estimates of a cross-validation with their standard errors. */
export function EstimateTable({ rows }: { readonly rows: readonly EstimateRow[] }) {
  return (
    <table className="numbers estimates">
      <thead>
        <tr>
          <th scope="col">{t('runs.quantity')}</th>
          <th scope="col">{t('plots.estimate')}</th>
          <th scope="col">{t('plots.se')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, meaning, term, estimate }) => (
          <tr key={name}>
            <th scope="row" title={t(meaning)}>
              {name}
              {term !== undefined && <Term name={term} label={name} />}
            </th>
            <td>{numerals.column(estimate.estimate)}</td>
            <td>{numerals.column(estimate.standardError)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

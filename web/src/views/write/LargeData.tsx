import { useEffect, useState } from 'react';
import { summarized } from '../../data/large-data.js';
import type { VariableSummary } from '../../data/variable-summaries.js';
import { forgetEditor } from '../../language/editors.js';
import { DATA_FILE } from '../../state/file-names.js';
import { numerals, t } from '../../words/messages.js';

interface LargeDataProps {
  readonly data: string;
  readonly onShowText: () => void;
}

/** The variables of large data, in place of their text. */
export function LargeData({ data, onShowText }: LargeDataProps) {
  const [found, setFound] = useState<readonly VariableSummary[]>();
  useEffect(() => forgetEditor(DATA_FILE), []);
  useEffect(() => {
    let isCurrent = true;
    summarized(data).then(
      (variables) => isCurrent && setFound(variables),
      // The status bar shows the reason.
      () => isCurrent && setFound([]),
    );
    return () => {
      isCurrent = false;
    };
  }, [data]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="large-data scrolls" aria-label={t('data.variables')} tabIndex={0}>
      <p className="prose">
        {t('data.large', { size: data.length / 1e6 })}{' '}
        <button type="button" onClick={onShowText}>
          {t('data.showText')}
        </button>
      </p>
      {found === undefined ? (
        <p className="prose muted">{t('tables.loading')}</p>
      ) : (
        <table className="numbers estimates">
          <thead>
            <tr>
              <th scope="col">{t('data.variable')}</th>
              <th scope="col">{t('data.dimensions')}</th>
              <th scope="col">{t('data.least')}</th>
              <th scope="col">{t('runs.mean')}</th>
              <th scope="col">{t('data.greatest')}</th>
              <th scope="col">{t('data.firstValues')}</th>
            </tr>
          </thead>
          <tbody>
            {found.map(({ first, greatest, least, mean, name, sizes }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{sizes.join(' × ')}</td>
                <td>{valueText(least)}</td>
                <td>{valueText(mean)}</td>
                <td>{valueText(greatest)}</td>
                <td>{first.map(valueText).join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** Maximum number of digits of integers, which are sizes and codes, and are not rounded. */
const MOST_DIGITS = 9;

function valueText(value: number): string {
  const isExact = Number.isInteger(value) && Math.abs(value) < 10 ** MOST_DIGITS;
  return isExact ? numerals.fixed(value, 0) : numerals.column(value);
}

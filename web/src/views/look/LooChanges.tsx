import { compare } from 'leapfrog';
import { useMemo } from 'react';
import { reasonOf } from '../../reasons.js';
import { nameOf, type Run } from '../../state/run.js';
import { numberText } from '../../statistics/number-text.js';
import { t } from '../../words/messages.js';
import { Advice } from './Advice.js';
import { type Loo, useLoo } from './useLoo.js';

/** Compares the predictions of two runs by leave-one-out cross-validation. */
export function LooChanges({ before, after }: { readonly before: Run; readonly after: Run }) {
  const [old, now] = [useLoo(before), useLoo(after)];
  const compared = useMemo(() => comparisonOf(before, old, after, now), [before, old, after, now]);
  if (compared === undefined) return null;
  return (
    <section aria-label={t('compare.predictions')}>
      <h2>{t('plots.loo')}</h2>
      {'refused' in compared ? (
        <p className="prose wrong" lang="en">
          {compared.refused}
        </p>
      ) : (
        <Comparison {...compared} />
      )}
    </section>
  );
}

/** The names that ArviZ and the R package loo give them. */
const COLUMNS = { difference: 'elpd_diff', error: 'se_diff', worse: 'p_worse', elpd: 'elpd_loo' } as const;

function Comparison({ models, cautions, statements }: ReturnType<typeof compare>) {
  return (
    <>
      <table className="numbers estimates">
        <thead>
          <tr>
            <th scope="col">{t('compare.bestFirst')}</th>
            <th scope="col">{COLUMNS.difference}</th>
            <th scope="col">{COLUMNS.error}</th>
            <th scope="col" title={t('compare.pWorseHelp')}>
              {COLUMNS.worse}
            </th>
            <th scope="col">{COLUMNS.elpd}</th>
          </tr>
        </thead>
        <tbody>
          {models.map(({ name, difference, standardError, probabilityWorse, elpd }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{numberText(difference)}</td>
              <td>{numberText(standardError)}</td>
              <td>{numberText(probabilityWorse)}</td>
              <td>{numberText(elpd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {statements.map((statement, index) => (
        <Advice
          key={statement.key}
          of={{ message: cautions[index] ?? '', statements: [statement] }}
          className="prose muted"
        />
      ))}
    </>
  );
}

function comparisonOf(
  before: Run,
  old: Loo | undefined,
  after: Run,
  now: Loo | undefined,
): ReturnType<typeof compare> | { readonly refused: string } | undefined {
  if (old === undefined || now === undefined || 'unclear' in old || 'unclear' in now) return undefined;
  if ('refused' in old) return { refused: t('compare.refusal', { run: nameOf(before), reason: old.refused }) };
  if ('refused' in now) return { refused: t('compare.refusal', { run: nameOf(after), reason: now.refused }) };
  try {
    return compare({ [nameOf(before)]: old, [nameOf(after)]: now });
  } catch (error) {
    return { refused: reasonOf(error) };
  }
}

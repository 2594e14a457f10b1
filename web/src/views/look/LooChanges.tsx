import { compare } from 'leapfrog';
import { useMemo } from 'react';
import { reasonOf } from '../../reasons.js';
import { nameOf, type Run } from '../../state/run.js';
import { numberText } from '../../statistics/number-text.js';
import { type Loo, useLoo } from './useLoo.js';

/** Compares the predictions of two runs by leave-one-out cross-validation. */
export function LooChanges({ before, after }: { readonly before: Run; readonly after: Run }) {
  const [old, now] = [useLoo(before), useLoo(after)];
  const compared = useMemo(() => comparisonOf(before, old, after, now), [before, old, after, now]);
  if (compared === undefined) return null;
  return (
    <section aria-label="Comparison of predictions">
      <h2>Leave-one-out cross-validation</h2>
      {'refused' in compared ? <p className="prose wrong">{compared.refused}</p> : <Comparison {...compared} />}
    </section>
  );
}

function Comparison({ models, cautions }: ReturnType<typeof compare>) {
  return (
    <>
      <table className="numbers estimates">
        <thead>
          <tr>
            <th scope="col">the best first</th>
            <th scope="col">elpd_diff</th>
            <th scope="col">se_diff</th>
            <th
              scope="col"
              title="The probability that it predicts worse than the best one, if the difference is normal"
            >
              p_worse
            </th>
            <th scope="col">elpd_loo</th>
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
      {cautions.map((caution) => (
        <p key={caution} className="prose muted">
          {caution}
        </p>
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
  if ('refused' in old) return { refused: `${nameOf(before)}: ${old.refused}` };
  if ('refused' in now) return { refused: `${nameOf(after)}: ${now.refused}` };
  try {
    return compare({ [nameOf(before)]: old, [nameOf(after)]: now });
  } catch (error) {
    return { refused: reasonOf(error) };
  }
}

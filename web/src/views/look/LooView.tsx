import type { LeaveOneOut } from 'leapfrog';
import { paretoKPlot } from '#engine/plots/pareto-k.js';
import { displayName } from '#engine/run/columns.js';
import type { Run } from '../../state/run.js';
import { numberText } from '../../statistics/number-text.js';
import { Figure } from './Figure.js';
import type { Loo } from './useLoo.js';

const MEANINGS = [
  [
    'elpd_loo',
    'elpd',
    'Expected log predictive density: how well the model predicts observations that it has not seen',
  ],
  ['p_loo', 'effectiveParameters', 'Effective number of parameters'],
  ['looic', 'looic', 'elpd_loo times −2, on the scale of deviances'],
] as const;

/** How well the model predicts each observation from all others. */
export function LooView({ loo, run }: { readonly loo: Loo | undefined; readonly run: Run }) {
  if (loo === undefined || 'unclear' in loo) return null;
  return (
    <section className="loo" aria-label="Leave-one-out cross-validation">
      <h2>Leave-one-out cross-validation</h2>
      {'refused' in loo ? <p className="prose wrong">{loo.refused}</p> : <Estimates run={run} loo={loo} />}
    </section>
  );
}

function Estimates({ run, loo }: { readonly run: Run; readonly loo: LeaveOneOut }) {
  const { observations, greatestK, mcse, message, ok } = loo;
  const names = observations.map(({ name }) => displayName(name));
  const paretoK = observations.map(({ paretoK }) => paretoK);
  return (
    <>
      <p className={ok ? 'prose muted' : 'prose wrong'}>{message}</p>
      <table className="numbers estimates">
        <thead>
          <tr>
            <th scope="col">quantity</th>
            <th scope="col">estimate</th>
            <th scope="col">se</th>
          </tr>
        </thead>
        <tbody>
          {MEANINGS.map(([name, field, meaning]) => (
            <tr key={name}>
              <th scope="row" title={meaning}>
                {name}
              </th>
              <td>{numberText(loo[field].estimate)}</td>
              <td>{numberText(loo[field].standardError)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!Number.isNaN(mcse) && (
        <p className="prose muted">The Monte Carlo standard error of elpd_loo is {numberText(mcse)}.</p>
      )}
      <Figure
        height={240}
        isWide
        version={run.id}
        plot={(size) => paretoKPlot({ names, paretoK, greatest: greatestK }, size)}
      />
    </>
  );
}

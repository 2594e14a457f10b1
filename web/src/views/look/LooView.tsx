import type { LeaveOneOut } from 'leapfrog';
import { paretoKPlot } from '#engine/plots/pareto-k.js';
import type { Run } from '../../state/run.js';
import { numerals, t } from '../../words/messages.js';
import { Term } from '../Term.js';
import { Advice } from './Advice.js';
import { EstimateTable } from './EstimateTable.js';
import { Figure } from './Figure.js';
import { LooObservations } from './LooObservations.js';
import { LooRefits } from './LooRefits.js';
import type { Loo } from './useLoo.js';

const MEANINGS = [
  { name: 'elpd_loo', field: 'elpd', meaning: 'plots.elpdHelp', term: 'elpd' },
  { name: 'p_loo', field: 'effectiveParameters', meaning: 'plots.pLooHelp', term: 'pLoo' },
  { name: 'looic', field: 'looic', meaning: 'plots.looicHelp' },
] as const;

/** How well the model predicts each observation from all others. */
export function LooView({ loo, run }: { readonly loo: Loo | undefined; readonly run: Run }) {
  if (loo === undefined || 'unclear' in loo) return null;
  return (
    <section className="loo" aria-label={t('plots.loo')}>
      <h2>
        {t('plots.loo')}
        <Term name="loo" label={t('plots.loo')} />
      </h2>
      {'refused' in loo ? (
        <p className="prose wrong" lang="en">
          {loo.refused}
        </p>
      ) : (
        <Estimates run={run} loo={loo} />
      )}
    </section>
  );
}

function Estimates({ run, loo }: { readonly run: Run; readonly loo: LeaveOneOut }) {
  const { observations, greatestK, mcse, ok } = loo;
  const names = observations.map(({ name }) => name);
  const paretoK = observations.map(({ paretoK }) => paretoK);
  return (
    <>
      <Advice of={loo} className={ok ? 'prose muted' : 'prose wrong'} />
      <EstimateTable rows={MEANINGS.map(({ field, ...row }) => ({ ...row, estimate: loo[field] }))} />
      {!Number.isNaN(mcse) && <p className="prose muted">{t('plots.mcseOfElpd', { value: numerals.column(mcse) })}</p>}
      <LooRefits run={run} loo={loo} />
      <LooObservations run={run} loo={loo} />
      <Figure
        height={240}
        isWide
        version={loo}
        plot={(size) => paretoKPlot({ names, paretoK, greatest: greatestK }, size)}
      />
    </>
  );
}

import { useId } from 'react';
import { durationText, outlookStatements } from '#engine/fits/outlook.js';
import type { ChainState, Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { numerals, stated, t } from '../../words/messages.js';
import { Term } from '../Term.js';
import { LiveTraces } from './LiveTraces.js';
import { QuantityForest } from './QuantityForest.js';
import { useEstimates } from './useEstimates.js';

/** A run in progress: a row per chain, then estimates and traces that are updated. */
export function RunningView({ run }: { readonly run: Run }) {
  const version = useStore(({ drawsVersion }) => drawsVersion);
  return (
    <div className="running">
      <h2>{t(run.status === 'compiling' ? 'runs.titleCompiling' : 'runs.titleRunning')}</h2>
      <table className="chains">
        <thead>
          <tr>
            <th scope="col">
              {t('runs.chain')}
              <Term name="chain" label={t('runs.chain')} />
            </th>
            <th scope="col" className="bar-column">
              {t('runs.progress')}
            </th>
            <th scope="col">{t('runs.iteration')}</th>
            <th scope="col">{t('runs.left')}</th>
            <th scope="col">
              {t('runs.divergent')}
              <Term name="divergence" label={t('runs.divergent')} />
            </th>
            <th scope="col" className="wide-only">
              {t('runs.maxDepth')}
            </th>
            <th scope="col" className="wide-only">
              {t('runs.bfmi')}
            </th>
            <th scope="col">{t('runs.stepSize')}</th>
          </tr>
        </thead>
        <tbody>
          {run.chains.map((chain, index) => (
            <ChainRow key={chain.id} chain={chain} index={index} />
          ))}
        </tbody>
      </table>
      <p className="outlook">{run.outlook === undefined ? '' : stated(outlookStatements(run.outlook), ', ')}</p>
      <EstimatesSoFar run={run} version={version} />
      <LiveTraces run={run} version={version} />
    </div>
  );
}

/** Key quantities of the draws so far, in the form of the verdict. */
function EstimatesSoFar({ run, version }: { readonly run: Run; readonly version: number }) {
  const title = useId();
  const estimates = useEstimates(run, version);
  return (
    <section className="key-quantities" aria-labelledby={title}>
      <h3 id={title} className="section-title">
        {t('runs.quantitiesSoFar')}
      </h3>
      {estimates === undefined ? (
        <p className="muted">{t('runs.noEstimates')}</p>
      ) : (
        <>
          <p className="muted">{draws(estimates.draws)}</p>
          <QuantityForest run={run} summaries={estimates.summaries} label={title} />
        </>
      )}
    </section>
  );
}

function draws(counts: readonly number[]): string {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return t('runs.drawsSoFar', { count: total, chains: counts.length });
}

function ChainRow({ chain, index }: { readonly chain: ChainState; readonly index: number }) {
  const { progress, isOver, id } = chain;
  const total = progress?.iterations ?? 0;
  const done = isOver ? total : (progress?.iteration ?? 0);
  const share = isOver ? 1 : total === 0 ? 0 : done / total;
  return (
    <tr>
      <th scope="row">
        <span className={`swatch chain-${(index % 8) + 1}`} aria-hidden="true" /> {id}
      </th>
      <td>
        <progress max={1} value={share} aria-label={t('runs.chainProgress', { id })} />
      </td>
      <td>{total === 0 ? '' : `${done} / ${total}`}</td>
      <td>
        {isOver
          ? t('runs.chainDone')
          : progress === undefined
            ? t('runs.chainWaiting')
            : timeText(progress.seconds_left)}
      </td>
      <td className={(progress?.divergences ?? 0) > 0 ? 'wrong' : ''}>{progress?.divergences ?? ''}</td>
      <td className="wide-only">{progress?.treedepth_hits ?? ''}</td>
      <td className="wide-only">{progress?.e_bfmi === undefined ? '' : numerals.fixed(progress.e_bfmi, 2)}</td>
      <td>{progress?.step_size === undefined ? '' : numerals.column(progress.step_size)}</td>
    </tr>
  );
}

function timeText(seconds: number | undefined): string {
  return seconds === undefined ? '' : durationText(seconds);
}

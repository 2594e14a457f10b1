import { useCallback, useEffect, useState } from 'react';
import { elpdDifferencesHeight, elpdDifferencesPlot, pointwiseDifferencesPlot } from '#engine/plots/comparison.js';
import { type ComparedRuns, compareRuns, highObservations, type ValidatedRun } from '../../compare/comparing-runs.js';
import { isOver, nameOf, type Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { numerals, t } from '../../words/messages.js';
import { Term } from '../Term.js';
import { Cautions } from './Cautions.js';
import { EvidenceChanges } from './EvidenceChanges.js';
import { Figure } from './Figure.js';
import { TableFrame } from './TableFrame.js';
import { useComparison } from './useComparison.js';
import { type Loo, useLacksLoo, useLoo } from './useLoo.js';

/** Maximum number of runs that are compared without being chosen: each requires a cross-validation. */
const MOST_AT_FIRST = 6;

/** Compares the predictions of two or more runs by leave-one-out cross-validation; initially of those with the same data. */
export function LooChanges({ before, after }: { readonly before: Run; readonly after: Run }) {
  const runs = useStore(({ runs }) => runs);
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [found, setFound] = useState<ReadonlyMap<string, Loo>>(new Map());
  const onFound = useCallback((id: string, loo: Loo) => setFound((all) => new Map(all).set(id, loo)), []);
  const candidates = runs
    .filter((run) => isOver(run) && run.draws > 1 && run.isPrior !== true)
    .toSorted((a, b) => a.number - b.number);
  const latest = candidates.filter(({ source }) => source.data === after.source.data).slice(-MOST_AT_FIRST);
  const isChosen = (run: Run) =>
    choices.get(run.id) ?? (latest.includes(run) || run.id === before.id || run.id === after.id);
  const chosen = candidates.filter(isChosen);
  if (candidates.length < 2) return null;
  return (
    <section aria-label={t('compare.predictions')}>
      <h2>{t('plots.loo')}</h2>
      {(candidates.length > 2 || chosen.length < 2) && (
        <fieldset className="compared-runs">
          <legend>{t('compare.comparedRuns')}</legend>
          {candidates.map((run) => (
            <label key={run.id} className="inline-field">
              <input
                type="checkbox"
                checked={isChosen(run)}
                onChange={({ target }) => setChoices(new Map(choices).set(run.id, target.checked))}
              />
              {nameOf(run)}
            </label>
          ))}
        </fieldset>
      )}
      {chosen.map((run) => (
        <LooOf key={run.id} run={run} onFound={onFound} />
      ))}
      {chosen.length < 2 ? (
        <p className="prose muted">{t('compare.chooseRuns')}</p>
      ) : (
        <>
          <Compared chosen={chosen} found={found} />
          <EvidenceChanges key={chosen.map(({ id }) => id).join()} runs={chosen} />
        </>
      )}
    </section>
  );
}

/** Computes the cross-validation of a run. */
function LooOf({ run, onFound }: { readonly run: Run; readonly onFound: (id: string, loo: Loo) => void }) {
  const loo = useLoo(run);
  const isLacking = useLacksLoo(run);
  useEffect(() => {
    if (loo !== undefined) onFound(run.id, loo);
    else if (isLacking) onFound(run.id, { unclear: t('compare.noTerms') });
  }, [run.id, loo, isLacking, onFound]);
  return null;
}

const NONE: ReadonlySet<string> = new Set();

/** The comparison of runs that have a cross-validation, and why others have none. */
function Compared({ chosen, found }: { readonly chosen: readonly Run[]; readonly found: ReadonlyMap<string, Loo> }) {
  const refits = useStore((state) => state.refits);
  const all = chosen.map((run) => ({ run, loo: found.get(run.id) }));
  const validated = all.flatMap(({ loo, run }) => {
    if (loo === undefined || !('observations' in loo)) return [];
    const own = refits[run.id];
    return [{ loo, run, exact: own?.kind === 'done' ? own.names : NONE }];
  });
  const refusals = all.flatMap(({ loo, run }) => {
    if (loo === undefined || 'observations' in loo) return [];
    return [t('compare.refusal', { run: nameOf(run), reason: 'refused' in loo ? loo.refused : loo.unclear })];
  });
  const isPending = all.some(({ loo }) => loo === undefined);
  const ready = isPending ? [] : validated;
  const compared = useComparison(ready, ready.map(keyOf).join(), compareRuns);
  return (
    <>
      {refusals.map((reason) => (
        <p key={reason} className="prose wrong">
          {reason}
        </p>
      ))}
      {compared === undefined ? (
        (isPending || validated.length > 1) && <p className="prose muted">{t('compare.comparing')}</p>
      ) : 'refused' in compared ? (
        <p className="prose wrong">{compared.refused}</p>
      ) : (
        <Comparison compared={compared} />
      )}
    </>
  );
}

/** Identifies runs, which are over, with the estimates of their refits. */
function keyOf({ loo, run }: ValidatedRun): string {
  return `${run.id} ${nameOf(run)} ${loo.elpd.estimate}`;
}

/** The names that ArviZ and the R package loo give them. */
const COLUMNS = {
  difference: 'elpd_diff',
  error: 'se_diff',
  worse: 'p_worse',
  elpd: 'elpd_loo',
} as const;

function Comparison({ compared }: { readonly compared: ComparedRuns }) {
  const { cautions, models, names, statements } = compared;
  return (
    <>
      <TableFrame label={t('compare.weights')}>
        <table className="numbers estimates">
          <thead>
            <tr>
              <th scope="col">{t('compare.bestFirst')}</th>
              <th scope="col">
                {COLUMNS.difference}
                <Term name="elpd" label={COLUMNS.difference} />
              </th>
              <th scope="col">{COLUMNS.error}</th>
              <th scope="col" title={t('compare.pWorseHelp')}>
                {COLUMNS.worse}
              </th>
              <th scope="col">{COLUMNS.elpd}</th>
              <th scope="col" title={t('compare.stackingHelp')}>
                {t('compare.stacking')}
                <Term name="stacking" label={t('compare.stacking')} />
              </th>
              <th scope="col" title={t('compare.pseudoBmaHelp')}>
                {t('compare.pseudoBma')}
              </th>
            </tr>
          </thead>
          <tbody>
            {models.map(({ name, difference, standardError, probabilityWorse, elpd, stacking, pseudoBmaPlus }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{numerals.column(difference)}</td>
                <td>{numerals.column(standardError)}</td>
                <td>{numerals.column(probabilityWorse)}</td>
                <td>{numerals.column(elpd)}</td>
                <td>{numerals.column(stacking)}</td>
                <td>{numerals.column(pseudoBmaPlus)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      <Cautions cautions={cautions} statements={statements} />
      <div className="figures">
        <Figure
          height={elpdDifferencesHeight(models.length)}
          isWide
          version={compared}
          plot={(size) => elpdDifferencesPlot(models, size)}
        />
        <Figure
          height={220}
          isWide
          hasLegend
          version={compared}
          plot={(size) => pointwiseDifferencesPlot(models, names, size)}
        />
      </div>
      <HighTable compared={compared} />
    </>
  );
}

/** Maximum number of observations in the table. */
const MOST_HIGH = 20;

/** Observations whose Pareto k is high in one of the runs. */
function HighTable({ compared }: { readonly compared: ComparedRuns }) {
  const rows = highObservations(compared);
  const shown = rows.slice(0, MOST_HIGH);
  if (shown.length === 0) return null;
  return (
    <>
      <h3>{t('compare.highTitle')}</h3>
      <p className="prose muted">{t('compare.highHelp')}</p>
      <TableFrame label={t('compare.highTitle')}>
        <table className="numbers estimates" aria-label={t('compare.highTitle')}>
          <thead>
            <tr>
              <th scope="col">{t('compare.observation')}</th>
              {compared.models.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ name, values }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {values.map(({ isExact, isHigh, paretoK }, index) => (
                  <td
                    key={compared.models[index]?.name}
                    className={isHigh ? 'wrong' : ''}
                    title={isExact ? t('plots.exactHelp') : undefined}
                  >
                    {isExact ? t('plots.exact') : numerals.column(paretoK)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {rows.length > shown.length && (
        <p className="prose muted">{t('compare.highMore', { count: rows.length - shown.length })}</p>
      )}
    </>
  );
}

import type { Fit } from 'leapfrog';
import { useEffect, useMemo, useState } from 'react';
import { displayName } from '#engine/formats/columns.js';
import { extentOf } from '#engine/plots/scale.js';
import { chainLegend, divergenceLegend, type Quantity, referenceLegend } from '#engine/plots/scene.js';
import { countSelected, DRAW, type Range, selectedDraws } from '#engine/plots/selection.js';
import { chosenQuantities } from '../../plots/choosing.js';
import { type Chosen, plannedPlots, plotKinds } from '../../plots/kinds.js';
import { worstFirst } from '../../plots/worst-first.js';
import { isSampler } from '../../run/functions.js';
import type { Labeling } from '../../run/labeling.js';
import { columnOf, quantitiesOf } from '../../state/fits.js';
import { isOver, type Run } from '../../state/run.js';
import { update, useStore } from '../../state/store.js';
import { alternatives, plotWords, t } from '../../words/messages.js';
import { Figure } from './Figure.js';
import { Legend } from './Legend.js';
import { OrderField, PairsChoice } from './PlotChoices.js';
import { SearchField } from './SearchField.js';
import { SelectBy, SelectionBar } from './SelectionTools.js';
import { columnNames, useColumns, useFit } from './useFit.js';
import { useLabels } from './useLabels.js';
import { type Reference, referenceOf, useReference } from './useReference.js';
import { areRefused, useSummaries } from './useSummaries.js';

/** Plots of the chosen quantities. */
export function PlotsView({ run }: { readonly run: Run }) {
  const selection = useStore(({ selection }) => selection);
  const kinds = useStore(({ plotKinds }) => plotKinds);
  const version = useStore(({ drawsVersion }) => drawsVersion);
  const all = useFit(run);
  const [place, setPlace] = useState({ of: '', from: 0 });
  const order = useStore(({ plotOrder }) => plotOrder);
  const areAllPairs = useStore(({ areAllPairs }) => areAllPairs);
  const key = `${run.id} ${selection} ${order}`;
  const from = place.of === key ? place.from : 0;
  const hasOrder = isSampler(run) && isOver(run);
  const summaries = useSummaries(hasOrder && order === 'worst' ? run : undefined);
  const ordered = (columns: readonly string[]) =>
    summaries === undefined || areRefused(summaries) ? columns : worstFirst(columns, summaries, run.chains.length);
  const { names, together, unknown, asked } = chosenQuantities(
    quantitiesOf(columnNames(run, all)),
    selection,
    run.generated,
    from,
    ordered,
  );
  const labeling = useLabels(run);
  const shownName: Labeling = (column) => labeling(displayName(column));
  const ranges = useStore(({ brush }) => (brush?.group === run.id ? brush.ranges : NONE));
  const ranged = columnNames(run, all).filter((name) => ranges.some((range) => range.name === shownName(name)));
  const reported = OF_SAMPLERS.filter((name) => columnNames(run, all).includes(name));
  const areSeveral = plotKinds.some(({ isOfSeveral, name }) => isOfSeveral === true && kinds.includes(name));
  const fit = useColumns(run, [...(areSeveral ? together : names), ...reported, ...ranged]);
  const reference = useReference(run, areSeveral ? together : names);
  const selected = useMemo(
    () => (fit === undefined || ranges.length === 0 ? undefined : selectedIn(fit, ranges, labeling)),
    [fit, ranges, labeling],
  );
  const select = (next: readonly Range[]) =>
    update({ brush: next.length === 0 ? undefined : { group: run.id, ranges: next } });
  useEscape(ranges.length > 0, () => update({ brush: undefined }));
  if (fit === undefined && isOver(run) && run.draws > 1) return <p className="empty">{t('tables.loading')}</p>;
  if (isOver(run) && run.draws === 1) {
    return <p className="empty">{t('plots.single')}</p>;
  }
  if (fit === undefined || fit.draws < 2)
    return <p className="empty">{t(isOver(run) ? 'tables.noDraws' : 'plots.notYet')}</p>;
  const chosen = { ...chosenOf(fit, names, areSeveral ? together : names, shownName, reference), areAllPairs };
  const offered = plotKinds.filter(({ isOfChains }) => !isOfChains || isSampler(run));
  const shown = offered.filter(({ name }) => kinds.includes(name));
  const planned = plannedPlots(shown, chosen);
  const notes = [
    ...(shown.length === 0 ? [t('plots.noneChosen')] : []),
    ...(names.length === 0 ? [t('plots.unknown', { names: alternatives(unknown) })] : []),
    ...(asked > together.length && areSeveral
      ? [t('plots.firstTogether', { shown: together.length, count: asked })]
      : []),
    ...(names.length === 0 ? [] : shown.flatMap(({ note }) => note?.(chosen) ?? [])),
  ];
  return (
    <div className="plots">
      <div className="toolbar">
        <SearchField
          label={t('plots.quantities')}
          hint={names.map(displayName).join(', ')}
          value={selection}
          isUnknown={unknown.length > 0}
          onChange={(next) => update({ selection: next })}
        />
        <SelectBy
          names={names.map(shownName)}
          extentOf={(name) => extentIn(fit, names.find((column) => shownName(column) === name) ?? name)}
          ranges={ranges}
          onChange={select}
        />
        {hasOrder && asked > 1 && <OrderField />}
        {unknown.length > 0 && <span className="wrong">{t('plots.unknownBrief', { names: unknown.join(', ') })}</span>}
        <fieldset className="chips">
          <legend className="visually-hidden">{t('plots.types')}</legend>
          {offered.map(({ label, name }) => (
            <button
              key={name}
              type="button"
              aria-pressed={kinds.includes(name)}
              onClick={() =>
                update({ plotKinds: kinds.includes(name) ? kinds.filter((kind) => kind !== name) : [...kinds, name] })
              }
            >
              {t(label)}
            </button>
          ))}
        </fieldset>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard, also before anything in it can be focused */}
      <section className="figures scrolls" aria-label={t('plots.all')} tabIndex={0}>
        {shown.some(({ isOfSeveral, name }) => isOfSeveral !== true && !WITHOUT_CHAINS.includes(name)) && (
          <Legend
            entries={[
              ...chainLegend({ chains: fit.chains, chainNames: fit.chains.map(({ id }) => `${id}`) }, plotWords),
              ...(shown.some(({ name }) => WITH_DIVERGENCES.includes(name))
                ? divergenceLegend({ divergent: columnOf(fit, 'divergent__') ?? [] }, plotWords)
                : []),
              ...(reference !== undefined && shown.some(({ name }) => WITH_REFERENCE.includes(name))
                ? referenceLegend({ reference: { name: reference.name, draws: NO_DRAWS } })
                : []),
            ]}
          />
        )}
        {notes.length > 0 && <p className="figures-note muted">{notes.join(' ')}</p>}
        {kinds.includes('pairs') && <PairsChoice count={names.length} />}
        {planned.some(({ of }) => of !== undefined) && (
          <Stretch
            from={from}
            shown={names.length}
            count={asked}
            onChange={(next) => setPlace({ of: key, from: next })}
          />
        )}
        {planned.map(({ key, height, isWide = false, plot }) => (
          <Figure
            key={key}
            height={height}
            isWide={isWide}
            hasLegend={isWide}
            group={run.id}
            version={`${run.id} ${version} ${selection} ${names.map(shownName).join()}`}
            plot={plot}
            selected={selected}
            onSelect={select}
          />
        ))}
      </section>
      {selected !== undefined && (
        <SelectionBar
          ranges={ranges}
          count={countSelected(selected)}
          total={selected.reduce((sum, { length }) => sum + length, 0)}
          onChange={select}
        />
      )}
    </div>
  );
}

/** Number of quantities that one step shows. */
const STEP = 8;

/** Which of the chosen quantities have separate plots, with buttons that show the others. */
function Stretch({
  from,
  shown,
  count,
  onChange,
}: Readonly<Record<'from' | 'shown' | 'count', number>> & { readonly onChange: (from: number) => void }) {
  if (shown >= count) return null;
  const to = from + shown;
  return (
    <p className="figures-note muted">
      {t('plots.someOf', { from: from + 1, to, count })}
      {from > 0 && (
        <button type="button" onClick={() => onChange(Math.max(0, from - STEP))}>
          {t('plots.showPrevious')}
        </button>
      )}
      {to < count && (
        <button type="button" onClick={() => onChange(to)}>
          {t('plots.showNext', { count: Math.min(STEP, count - to) })}
        </button>
      )}
    </p>
  );
}

/** Kinds of plots of chains that mark divergences. */
const WITH_DIVERGENCES = ['trace', 'pairs'];

/** Kinds of plots that show a reference run. */
const WITH_REFERENCE = ['trace', 'density', 'distribution', 'intervals', 'ridgelines', 'pairs', 'matrix'];

const NO_DRAWS = new Float64Array();

/** Kinds of plots whose lines are not chains. */
const WITHOUT_CHAINS = ['distribution', 'sample_size', 'local_sample_size', 'sampler'];

const NONE: readonly Range[] = [];

/** Handles Esc, unless a window or a menu handles it. */
function useEscape(isWanted: boolean, act: () => void): void {
  useEffect(() => {
    if (!isWanted) return;
    const onKey = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && !defaultPrevented && useStore.getState().overlay === undefined) act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isWanted, act]);
}

function selectedIn(fit: Fit, ranges: readonly Range[], labeling: Labeling) {
  const names = new Map(fit.columns.map((name) => [labeling(displayName(name)), name]));
  return selectedDraws(
    ranges,
    fit.columnAt(0).map(({ length }) => length),
    (name) => columnOf(fit, names.get(name) ?? ''),
  );
}

/** The full range of a quantity. */
function extentIn(fit: Fit, name: string): Omit<Range, 'name'> {
  if (name === DRAW) return { from: 1, to: fit.draws };
  const [from, to] = extentOf(...fit.column(name));
  return { from, to };
}

/** Diagnostics of samplers that plots show. */
const OF_SAMPLERS = ['divergent__', 'energy__', 'treedepth__', 'stepsize__', 'accept_stat__'];

function chosenOf(
  fit: Fit,
  names: readonly string[],
  together: readonly string[],
  shownName: Labeling,
  reference: Reference | undefined,
): Omit<Chosen, 'areAllPairs'> {
  const chainNames = fit.chains.map(({ id }) => `${id}`);
  const divergent = columnOf(fit, 'divergent__');
  const quantity = (name: string): Quantity => ({
    name: shownName(name),
    chains: fit.column(name),
    chainNames,
    ...(divergent && { divergent }),
    ...referenceOf(name, reference),
  });
  const own = (name: string) => (fit.columns.includes(name) ? quantity(name) : undefined);
  return {
    quantities: names.map(quantity),
    together: together.map(quantity),
    energy: own('energy__'),
    treeDepth: own('treedepth__'),
    stepSize: own('stepsize__'),
    acceptance: own('accept_stat__'),
  };
}

import type { Fit } from 'leapfrog';
import { useId, useMemo } from 'react';
import { ENGLISH_NUMERALS } from '#engine/base/numerals.js';
import { keyQuantities } from '#engine/fits/key-quantities.js';
import { summariesOf } from '#engine/fits/statistics.js';
import { displayName } from '#engine/formats/columns.js';
import { pool } from '#engine/inference/diagnostics/chains.js';
import { comparedDensityPlot } from '#engine/plots/compared-density.js';
import { worstOf } from '#engine/plots/forest-rows.js';
import { chosenQuantities } from '../../plots/choosing.js';
import { applyValues } from '../../run/applying-sliders.js';
import type { Explored, Values } from '../../run/exploring.js';
import { type Slider, slidersFor } from '../../run/slider-scales.js';
import { columnOf, quantitiesOf } from '../../state/fits.js';
import { isOver, nameOf, type Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { rich } from '../../words/rich.js';
import { Figure } from './Figure.js';
import { QuantityForest } from './QuantityForest.js';
import { useExploration } from './useExploration.js';
import { columnNames, useColumns, useFit } from './useFit.js';
import { useLabels } from './useLabels.js';

/** Maximum number of quantities that are shown. */
const MOST = 6;

/** Sliders for numbers of the data and the program; each move samples again. */
export function ExploreView({ run }: { readonly run: Run }) {
  return <Explore key={run.id} run={run} />;
}

function Explore({ run }: { readonly run: Run }) {
  const { source } = run;
  const sliders = useMemo(() => slidersFor(source), [source]);
  const columns = columnNames(run, useFit(run));
  const names = useMemo(() => shownNames(run, columns), [run, columns]);
  const fit = useColumns(run, names);
  const labeling = useLabels(run);
  const start = useMemo(() => new Map(sliders.map(({ name, value }) => [name, value])), [sliders]);
  const { explored, isRunning = false, problem, reset, set, values } = useExploration(run, fit, start);
  const title = useId();
  const draws = explored?.fit;
  const summaries = useMemo(() => (draws === undefined ? [] : summariesIn(draws, names)), [draws, names]);
  if (sliders.length === 0) return <p className="empty">{rich('explore.none')}</p>;
  if (fit === undefined || fit.draws < 2)
    return <p className="empty">{t(isOver(run) ? 'tables.noDraws' : 'plots.notYet')}</p>;
  return (
    <div className="explore">
      <form className="sliders" aria-label={t('explore.sliders')} onSubmit={(event) => event.preventDefault()}>
        {sliders.map((slider) => (
          <SliderField
            key={slider.name}
            slider={slider}
            value={values.get(slider.name) ?? slider.value}
            onChange={(value) => set(new Map([...values, [slider.name, value]]))}
          />
        ))}
      </form>
      <div className="explore-state">
        <p className={problem === undefined ? 'muted' : 'wrong'} role="status">
          {problem ?? stateText(explored, worstOf(summaries).rhat)}
        </p>
        {isRunning && <progress className="late" aria-label={t('runs.running')} />}
        {explored !== undefined && (
          <div className="buttons">
            <Apply run={run} values={values} />
            <button type="button" onClick={reset}>
              {t('explore.reset')}
            </button>
          </div>
        )}
      </div>
      <div className="figures">
        {names.map((name) => (
          <Figure
            key={name}
            height={180}
            version={`${run.id} ${explored?.fit === undefined} ${explored?.took} ${labeling(displayName(name))}`}
            plot={(size) =>
              comparedDensityPlot(
                labeling(displayName(name)),
                [
                  { name: nameOf(run), draws: pool(columnOf(fit, name) ?? []) },
                  ...(explored === undefined
                    ? []
                    : [{ name: t('explore.now'), draws: pool(columnOf(explored.fit, name) ?? []) }]),
                ],
                size,
              )
            }
          />
        ))}
      </div>
      {explored !== undefined && (
        <section className="key-quantities" aria-labelledby={title}>
          <h2 id={title} className="section-title">
            {t('explore.estimates')}
          </h2>
          <QuantityForest run={run} summaries={summaries} label={title} isBrief />
        </section>
      )}
    </div>
  );
}

function shownNames(run: Run, columns: readonly string[]): readonly string[] {
  const key = keyQuantities(quantitiesOf(columns));
  return chosenQuantities(key, '', run.generated).together.slice(0, MOST);
}

function summariesIn(fit: Fit, names: readonly string[]) {
  return summariesOf(names.map((name) => ({ name: displayName(name), chains: columnOf(fit, name) ?? [] })));
}

/** R-hat above which chains of a short run have not mixed. */
const GREATEST_RHAT = 1.05;

function stateText(explored: Explored | undefined, rhat: number): string {
  if (explored === undefined) return t('explore.help');
  const { fit, took } = explored;
  const drawn = t('explore.drawn', { count: fit.draws * fit.chains.length, time: Math.round(took) });
  return `${drawn} ${t(rhat > GREATEST_RHAT ? 'explore.rough' : 'explore.short')}`;
}

interface SliderProps {
  readonly slider: Slider;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

function SliderField({ slider: { max, min, name, place, step }, value, onChange }: SliderProps) {
  const id = useId();
  const take = (text: string) => text.trim() !== '' && Number.isFinite(Number(text)) && onChange(Number(text));
  return (
    <div className="slider">
      <label htmlFor={id}>
        {place === undefined ? <code>{name}</code> : lineText(place)}
        {place !== undefined && (
          <code className="muted">
            {place.before}
            <mark>{ENGLISH_NUMERALS.short(value)}</mark>
            {place.after}
          </code>
        )}
      </label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        onChange={({ target }) => take(target.value)}
      />
      <input
        type="number"
        aria-label={t('explore.value', { name: place === undefined ? name : lineText(place) })}
        step={step}
        value={value}
        onChange={({ target }) => take(target.value)}
      />
    </div>
  );
}

function lineText({ index, line }: NonNullable<Slider['place']>): string {
  return index === undefined ? t('explore.line', { line }) : t('explore.place', { line, index });
}

/** Takes the values into the project, if it still has the program of the run. */
function Apply({ run, values }: { readonly run: Run; readonly values: Values }) {
  const isSame = useStore(({ project }) => project.program === run.source.program);
  if (!isSame) return null;
  return (
    <button type="button" className="primary" title={t('explore.applyHelp')} onClick={() => applyValues(run, values)}>
      {t('explore.apply')}
    </button>
  );
}

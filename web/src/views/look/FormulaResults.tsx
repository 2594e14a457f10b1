import type { Fit } from 'leapfrog';
import { useId, useMemo, useState } from 'react';
import { variableOf } from '#engine/formats/columns.js';
import { variablesOf } from '#engine/formula/fitted-values.js';
import type { ModelTerms } from '#engine/formula/model-terms.js';
import { effectsHeight, effectsPlot } from '#engine/plots/effects.js';
import { fittedHeight, fittedLevelsPlot, fittedPlot } from '#engine/plots/fitted.js';
import type { Run } from '../../state/run.js';
import {
  type Axis,
  axesOf,
  dataValues,
  effectsIn,
  fittedLevels,
  fittedLine,
  fittedLines,
  outcomeName,
} from '../../statistics/formula-results.js';
import { t } from '../../words/messages.js';
import { Figure } from './Figure.js';
import { columnNames, useColumns, useFit } from './useFit.js';

interface Props {
  readonly run: Run;
  readonly terms: ModelTerms;
}

/** The effects on the outcome's scale, and the fitted line or values over the data. */
export function FormulaResults({ run, terms }: Props) {
  const names = columnNames(run, useFit(run));
  const needed = useMemo(() => {
    const variables = variablesOf(terms);
    return names.filter((name) => variables.has(variableOf(name)));
  }, [terms, names]);
  const fit = useColumns(run, needed);
  if (fit === undefined) return <div className="answer" />;
  return <Results run={run} terms={terms} fit={fit} />;
}

const TITLES = {
  normal: 'formula.effectsOn',
  student: 'formula.effectsOn',
  bernoulli: 'formula.effectsOn',
  cumulative: 'formula.effectsOnProbabilities',
  poisson: 'formula.effectsOnExpected',
  negbinomial: 'formula.effectsOnExpected',
} as const;

const FIGURE_HEIGHT = 300;

function Results({ fit, run, terms }: Props & { readonly fit: Fit }) {
  const { data: json, levels = [] } = run.source;
  const data = useMemo(() => dataValues(json), [json]);
  const effects = useMemo(() => effectsIn(terms, fit, data), [terms, fit, data]);
  const axes = useMemo(() => axesOf(terms, data, levels), [terms, data, levels]);
  const shown = terms.family === 'cumulative' ? axes.filter(({ kind }) => kind === 'numbers') : axes;
  return (
    <section className="answer" aria-label={t('formula.results')}>
      {effects.length > 0 && (
        <Figure
          height={(width) => effectsHeight(effects, width)}
          version={run.id}
          plot={(size) => effectsPlot(t(TITLES[terms.family], { name: outcomeName(terms) }), effects, size)}
        />
      )}
      {shown.length > 0 && <FittedFigures key={run.id} {...{ run, terms, fit, data, axes: shown }} />}
    </section>
  );
}

interface FittedProps extends Props {
  readonly fit: Fit;
  readonly data: ReturnType<typeof dataValues>;
  readonly axes: readonly Axis[];
}

/** The outcome against a predictor or by groups, which the user chooses. */
function FittedFigures({ axes, data, fit, run, terms }: FittedProps) {
  const id = useId();
  const [first] = axes;
  const [heading, setHeading] = useState(first?.heading);
  const axis = axes.find((each) => each.heading === heading) ?? first;
  const splits =
    axis?.kind !== 'numbers' || terms.family === 'cumulative' ? [] : axes.filter(({ kind }) => kind !== 'numbers');
  const [split, setSplit] = useState(() => preferred(splits, terms)?.heading ?? '');
  const by = splits.find((each) => each.heading === split);
  const line = useMemo(() => axis && fittedLine(terms, fit, data, axis), [terms, fit, data, axis]);
  const lines = useMemo(
    () => (axis && by && line ? fittedLines(terms, fit, data, axis, by, line) : undefined),
    [terms, fit, data, axis, by, line],
  );
  const values = useMemo(() => axis && fittedLevels(terms, fit, data, axis), [terms, fit, data, axis]);
  const version = `${run.id} ${axis?.heading} ${by?.heading}`;
  return (
    <>
      <div className="answer-tools">
        {axes.length > 1 && (
          <Choice
            id={`${id}-x`}
            label={t('formula.shownAgainst', { name: terms.heading })}
            value={axis?.heading ?? ''}
            options={axes.map((each) => ({ value: each.heading, text: each.heading }))}
            onChange={setHeading}
          />
        )}
        {splits.length > 0 && (
          <Choice
            id={`${id}-by`}
            label={t('formula.splitBy')}
            value={by?.heading ?? ''}
            options={[
              { value: '', text: t('formula.notSplit') },
              ...splits.map((each) => ({ value: each.heading, text: each.heading })),
            ]}
            onChange={setSplit}
          />
        )}
      </div>
      <div className="answer-figures">
        {line !== undefined && (
          <Figure
            height={(width) => fittedHeight(line, width)}
            isDescribed
            version={version}
            plot={(size) => fittedPlot(line, size)}
          />
        )}
        {lines !== undefined && (
          <Figure
            height={(width) => fittedHeight(lines, width)}
            isDescribed
            hasLegend
            version={version}
            plot={(size) => fittedPlot(lines, size)}
          />
        )}
        {values !== undefined && (
          <Figure
            height={FIGURE_HEIGHT}
            isDescribed
            version={version}
            plot={(size) => fittedLevelsPlot(values.texts, values.levels, size)}
          />
        )}
      </div>
    </>
  );
}

/** Groups, else the categories with which a predictor interacts, else the first ones. */
function preferred(splits: readonly Axis[], { predictors, summands }: ModelTerms): Axis | undefined {
  const interacting = new Set(
    summands
      .filter((summand) => summand.predictors.length > 1)
      .flatMap((summand) =>
        predictors.filter(({ name }) => summand.predictors.includes(name)).map(({ heading }) => heading),
      ),
  );
  const categories = splits.filter(({ kind }) => kind === 'levels');
  return (
    splits.find(({ kind }) => kind === 'groups') ??
    categories.find(({ heading }) => interacting.has(heading)) ??
    categories[0]
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
}

function Choice({ id, label, onChange, options, value }: ChoiceProps) {
  return (
    <label className="inline-field" htmlFor={id}>
      {label}
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </label>
  );
}

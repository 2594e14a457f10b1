import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { keyQuantities } from '#engine/fits/key-quantities.js';
import { cellsOf, FOREST_AXIS, FOREST_ROW, forestAxis, forestStrip } from '#engine/plots/forest.js';
import { type ForestPanel, type ForestRow, forestPanels, forestVariables } from '#engine/plots/forest-rows.js';
import type { Domain } from '#engine/plots/scale.js';
import { showTab } from '../../actions/panes.js';
import { isSampler } from '../../run/functions.js';
import type { Labeling } from '../../run/labeling.js';
import type { QuantitySummary } from '../../state/quantity-summary.js';
import { isOver, type Run } from '../../state/run.js';
import { update } from '../../state/store.js';
import { numerals, plotWords, t } from '../../words/messages.js';
import { Term } from '../Term.js';
import { Picture } from './Picture.js';
import { useLabels } from './useLabels.js';

/** Maximum number of variables, and of shown elements of one. The summary shows all of them. */
const MOST_VARIABLES = 40;
const MOST_ELEMENTS = 60;
/** Without scalars, the first vector with at most this many elements is expanded. */
const MOST_OPEN = 12;
/** Pixels beside an interval below its numbers (`.strip` in verdict.css). */
const INSET = 8;
/** Maximum width in pixels of a table that shows intervals below its numbers. */
const NARROW = 560;

interface ForestProps {
  readonly run: Run;
  readonly summaries: readonly QuantitySummary[];
  /** Id of the element whose text labels the table. */
  readonly label: string;
  /** Whether the draws are from a short run, whose convergence is not shown for each quantity. */
  readonly isBrief?: boolean;
}

/** Intervals and numbers of key quantities: scalars before vectors, vectors collapsed. */
export function QuantityForest({ run, summaries, label, isBrief = false }: ForestProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const variables = useMemo(() => keyVariables(summaries), [summaries]);
  const shown = variables.slice(0, MOST_VARIABLES);
  const first = shown.some(({ isScalar }) => isScalar)
    ? undefined
    : shown.find(({ elements }) => elements.length <= MOST_OPEN);
  const panels = forestPanels(shown, (variable) => toggled.has(variable.name) !== (variable === first));
  const toggle = (name: string) =>
    setToggled((now) => new Set(now.has(name) ? [...now].filter((each) => each !== name) : [...now, name]));
  const left = variables.length - shown.length;
  const { isNarrow, strip, table } = useWidths();
  const labeling = useLabels(run);
  const layout: Layout = {
    labeling,
    isNarrow,
    strip,
    chains: run.chains.length,
    isPoint: isOver(run) && run.draws === 1,
    isJudged: !isBrief && (run.draws > 1 || !isOver(run)) && isSampler(run),
  };
  return (
    <div ref={table}>
      <table className="forest" aria-labelledby={label}>
        <thead>
          <tr>
            <th scope="col">{t('runs.quantity')}</th>
            {!isNarrow && !layout.isPoint && (
              <td className="strip">
                <span className="measure" />
              </td>
            )}
            <th scope="col">{t(layout.isPoint ? 'runs.value' : 'runs.mean')}</th>
            {!layout.isPoint && (
              <th scope="col" title={t('runs.intervalHelp')}>
                {t('runs.interval')}
                <Term name="interval" label={t('runs.interval')} />
              </th>
            )}
            {layout.isJudged && (
              <>
                <th scope="col" title={t('runs.rhatHelp')}>
                  {t('runs.rhat')}
                  <Term name="rhat" label={t('runs.rhat')} />
                </th>
                <th scope="col" title={t('runs.essHelp')}>
                  {t('runs.ess')}
                  <Term name="ess" label={t('runs.ess')} />
                </th>
              </>
            )}
          </tr>
        </thead>
        {panels.map((panel) => (
          <PanelRows key={nameOf(panel.rows[0])} panel={panel} layout={layout} onToggle={toggle} />
        ))}
      </table>
      {isOver(run) && !isBrief && (
        <button type="button" className="quiet" onClick={() => showTab({ rightTab: 'summary' })}>
          {left > 0 ? t('runs.moreInSummary', { count: left }) : t('runs.allInSummary')}
        </button>
      )}
    </div>
  );
}

interface Layout {
  readonly labeling: Labeling;
  readonly isNarrow: boolean;
  /** Width in pixels of the column of intervals. */
  readonly strip: number;
  readonly chains: number;
  /** Whether the run has a single draw. */
  readonly isPoint: boolean;
  /** Whether R-hat and effective sample sizes apply. */
  readonly isJudged: boolean;
}

interface PanelProps {
  readonly panel: ForestPanel;
  readonly layout: Layout;
  readonly onToggle: (name: string) => void;
}

function PanelRows({ panel, layout, onToggle }: PanelProps) {
  const { isJudged, isNarrow, isPoint, strip } = layout;
  const numbers = (isPoint ? 2 : 3) + (isJudged ? 2 : 0);
  let place = 0;
  return (
    <tbody>
      {panel.rows.flatMap((row) => {
        place = row.kind === 'variable' ? 0 : place + 1;
        const isElement = row.kind === 'element' && row.estimate.name.endsWith(']');
        if (isElement && place > MOST_ELEMENTS) return [];
        return [
          <NumbersRow key={nameOf(row)} {...{ row, layout, onToggle, isElement }} domain={panel.domain} />,
          ...(isNarrow && !isPoint
            ? [
                <tr key={`interval ${nameOf(row)}`}>
                  <td className="strip" aria-hidden="true" colSpan={numbers}>
                    <Strip row={row} domain={panel.domain} width={strip} />
                  </td>
                </tr>,
              ]
            : []),
        ];
      })}
      {!isPoint && (
        <tr className="axis">
          {!isNarrow && <td />}
          <td className="strip" aria-hidden="true" colSpan={isNarrow ? numbers : 1}>
            <Axis domain={panel.domain} width={strip} />
          </td>
          {!isNarrow && <td colSpan={numbers - 1} />}
        </tr>
      )}
    </tbody>
  );
}

interface RowProps {
  readonly row: ForestRow;
  readonly domain: Domain;
  readonly layout: Layout;
  readonly isElement: boolean;
  readonly onToggle: (name: string) => void;
}

function NumbersRow({ row, domain, layout, isElement, onToggle }: RowProps) {
  const { chains, isJudged, isNarrow, isPoint, labeling, strip } = layout;
  const { name, mean, ends, rhat, ess, isEssBad, isRhatBad } = cellsOf(row, chains, numerals);
  const [from, to] = ends;
  const isVariable = row.kind === 'variable';
  return (
    <tr>
      <th scope="row" className={isElement ? 'element' : ''}>
        {isVariable ? (
          <button
            type="button"
            className="quiet quantity"
            aria-expanded={row.isOpen}
            title={t(row.isOpen ? 'runs.hideElements' : 'runs.showElements', { name })}
            onClick={() => onToggle(name)}
          >
            <span aria-hidden="true">{row.isOpen ? '▾' : '▸'}</span>
            <span className="base">{name}</span>
            <span className="muted">{row.variable.elements.length}</span>
            <span className="visually-hidden">{t('runs.elements')}</span>
          </button>
        ) : (
          <button
            type="button"
            className="quiet quantity"
            title={t('runs.plotsOf', { name: labeling(name) })}
            onClick={() => {
              update({ selection: name });
              showTab({ rightTab: 'plots' });
            }}
          >
            <span className="base">{isNarrow && isElement ? shortLabel(name, labeling) : labeling(name)}</span>
          </button>
        )}
      </th>
      {!isNarrow && !isPoint && (
        <td className="strip" aria-hidden="true">
          <Strip row={row} domain={domain} width={strip} />
        </td>
      )}
      {(isPoint || !isVariable) && <td>{mean}</td>}
      {!isPoint && (
        <td className={isVariable ? 'muted' : ''} colSpan={isVariable ? 2 : 1}>
          {t(isVariable ? 'runs.means' : 'runs.range', { from, to })}
        </td>
      )}
      {isJudged && (
        <>
          <td className={isRhatBad ? 'wrong' : ''}>{rhat}</td>
          <td className={isEssBad ? 'wrong' : ''}>{ess}</td>
        </>
      )}
    </tr>
  );
}

/** The label of an element below the line of its variable: `Gymnasium` of `theta[Gymnasium]`; the name without labels. */
function shortLabel(name: string, labeling: Labeling): string {
  const label = labeling(name);
  return label === name ? name : label.slice(label.indexOf('[') + 1, -1);
}

interface StripProps {
  readonly row: ForestRow;
  readonly domain: Domain;
  readonly width: number;
}

function Strip({ row, domain: [from, to], width }: StripProps) {
  const plot = useMemo(
    () => (width === 0 ? undefined : forestStrip(row, [from, to], { width, height: FOREST_ROW, words: plotWords })),
    [row, from, to, width],
  );
  return plot === undefined ? null : <Picture plot={plot} />;
}

function Axis({ domain: [from, to], width }: Omit<StripProps, 'row'>) {
  const plot = useMemo(
    () => (width === 0 ? undefined : forestAxis([from, to], { width, height: FOREST_AXIS, words: plotWords })),
    [from, to, width],
  );
  return plot === undefined ? null : <Picture plot={plot} />;
}

function nameOf(row: ForestRow | undefined): string {
  if (row === undefined) return '';
  return row.kind === 'element' ? row.estimate.name : row.variable.name;
}

function keyVariables(summaries: readonly QuantitySummary[]) {
  const key = new Set(keyQuantities(summaries.map(({ name }) => name)));
  return forestVariables(summaries.filter(({ name }) => key.has(name)));
}

/** The widths of the table and of its column of intervals. */
function useWidths() {
  const table = useRef<HTMLDivElement>(null);
  const [strip, setStrip] = useState(0);
  const [isNarrow, setNarrow] = useState(false);
  // The first measurement is made before the first frame, which would otherwise show the wide table on a narrow screen.
  useLayoutEffect(() => {
    const element = table.current;
    if (element === null) return;
    const measure = () => {
      const width = element.getBoundingClientRect().width;
      setNarrow(width < NARROW);
      const column = element.querySelector('thead .strip')?.getBoundingClientRect().width;
      // A hidden tab keeps its widths.
      if (width > 0) setStrip(Math.floor(column ?? width - 2 * INSET));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { table, strip, isNarrow };
}

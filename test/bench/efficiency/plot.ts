import { ENGLISH_NUMERALS } from '../../../src/base/numerals.js';
import { frame } from '../../../src/plots/frame.js';
import type { LegendEntry, Mark } from '../../../src/plots/scene.js';
import { PAPER, svgText, titled } from '../../../src/plots/svg.js';
import { gradientsNeeded, isMeasured, type Run, samplingSecondsNeeded } from './measure.js';
import type { NamedSampler } from './samplers.js';
import { meanOf } from './table.js';

const WIDTH = 720;
const [LEFT, ROW, AROUND] = [290, 15, 60];

/** What a plot shows. */
export type Plotted = 'gradients' | 'seconds';

const NEEDED = {
  gradients: { axis: 'gradients', title: 'Gradients to 400 effective draws', needed: gradientsNeeded },
  seconds: {
    axis: 'processor seconds',
    title: 'Processor seconds to 400 effective draws, without compilation',
    needed: samplingSecondsNeeded,
  },
} as const;

/** The cost of 400 effective draws of each posterior, by sampler, as an SVG document with a logarithmic axis, sorted by the first sampler. */
export function plotOf(runs: readonly Run[], samplers: readonly NamedSampler[], plotted: Plotted): string {
  const { axis, needed, title } = NEEDED[plotted];
  const measurements = runs.filter(isMeasured);
  const of = (posterior: string, { name }: NamedSampler) => meanOf(measurements, posterior, name, needed);
  const posteriors = [...new Set(measurements.map(({ posterior }) => posterior))]
    .map((name) => ({ name, values: samplers.map((sampler) => of(name, sampler)) }))
    .toSorted((a, b) => (a.values[0] ?? 0) - (b.values[0] ?? 0));
  const logarithms = posteriors.flatMap(({ values }) => values.flatMap((value) => (value ? [Math.log10(value)] : [])));
  const x = [Math.floor(Math.min(...logarithms)), Math.ceil(Math.max(...logarithms))] as const;
  const size = { width: WIDTH, height: posteriors.length * ROW + AROUND };
  const y = [-0.5, posteriors.length - 0.5] as const;
  const axes = frame(size, { x, y, xLabel: axis, left: LEFT, xTicks: false, yTicks: false });
  const [bottom, top] = axes.y.range;
  const marks: Mark[] = [...axes.marks];
  const label = { kind: 'text', ink: 'muted', size: 11 } as const;
  for (let power = x[0]; power <= x[1]; power++) {
    const at = axes.x(power);
    marks.push({ kind: 'segments', ends: [at, bottom, at, top], ink: 'grid' });
    marks.push({ ...label, text: ENGLISH_NUMERALS.short(10 ** power), x: at, y: bottom + 16, anchor: 'middle' });
  }
  for (const [row, { name }] of posteriors.entries()) {
    marks.push({ ...label, text: name, x: LEFT - 8, y: axes.y(row) + 4, anchor: 'end' });
  }
  const legend = samplers.map(({ title }, k): LegendEntry => ({ ink: `chain${k + 1}`, text: title }));
  for (const [k, { ink }] of legend.entries()) {
    const points = posteriors.flatMap(({ values }, row) => {
      const value = values[k];
      return value === undefined ? [] : [axes.x(Math.log10(value)), axes.y(row)];
    });
    marks.push({ kind: 'dots', points, ink, radius: 3.5 });
  }
  const description = `Dots of ${axis} to 400 effective draws: ${samplers.map(({ title }) => title).join(', ')}.`;
  const plot = { ...size, title, description, legend, marks };
  return svgText(titled({ ...plot, table: () => ({ columns: [], rows: [] }) }), PAPER);
}

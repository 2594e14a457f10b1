import { resolve } from 'node:path';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram, Unsupported } from '../conformance/engine.js';
import { type CorpusModel, corpus, geometricMean, median } from './corpus.js';
import { Oracle } from './oracle.js';
import { OwnProcess } from './own-process.js';

export interface GradientRow {
  readonly name: string;
  readonly dimension: number;
  readonly ours: number;
  readonly stan: number;
  /** Speed relative to real Stan. */
  readonly ratio: number;
  readonly source: 'side by side' | 'recorded';
}

/** Processor time per gradient of each model of a folder, as a sampler evaluates it, compared with real Stan -O3. */
export function benchGradients(folder: string, only: RegExp, seconds: number): GradientRow[] {
  return compareGradients(corpus(resolve(folder), only), seconds);
}

/** Compared with real Stan in this run if it is set up, otherwise with recorded figures. */
export function compareGradients(items: readonly CorpusModel[], seconds: number): GradientRow[] {
  const oracle = Oracle.find();
  const own = new OwnProcess();
  const rows: GradientRow[] = [];
  for (const item of items) {
    const model = modelOf(item);
    if (model === null) console.log(`${item.name.padEnd(40)} left out: not supported`);
    if (model === null || model.dimension === 0 || item.points.length === 0) continue;
    const time = () => own.gradient(item.program, item.data, item.points, seconds);
    const row =
      oracle === null ? againstRecorded(item, model, time) : sideBySide(oracle, item, model, { time, seconds });
    if (row === null)
      console.log(`${item.name.padEnd(40)} left out: real Stan is not set up, and no figure of it is recorded`);
    if (row === null) continue;
    rows.push(row);
    console.log(
      `${row.name.padEnd(40)} ${String(row.dimension).padStart(5)} ${format(row.ours)} ns  Stan ${format(row.stan)} ns  ${row.ratio.toFixed(2)}x${row.source === 'recorded' ? '  (recorded)' : ''}`,
    );
  }
  if (rows.length === 0) return rows;
  const worst = rows.reduce((low, row) => (row.ratio < low.ratio ? row : low));
  const mean = geometricMean(rows.map(({ ratio }) => ratio));
  console.log(
    `bench gradients: geometric mean ${mean.toFixed(2)}, worst ${worst.ratio.toFixed(2)} ${worst.name}, ${rows.length} models`,
  );
  return rows;
}

function format(nanoseconds: number): string {
  return nanoseconds.toFixed(0).padStart(9);
}

function modelOf(item: CorpusModel): Model | null {
  try {
    return buildModel(compileProgram(item.text), item.dataText);
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

/** Measures Leapfrog and Stan, each for the given time. */
interface Measurement {
  readonly time: () => number;
  readonly seconds: number;
}

/** The times of Leapfrog and Stan, alternating three times; medians. */
function sideBySide(oracle: Oracle, item: CorpusModel, model: Model, { time, seconds }: Measurement): GradientRow {
  oracle.build(item.program);
  const ours: number[] = [];
  const stan: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    ours.push(time());
    stan.push(oracle.gradient(item.program, item.data, item.points, seconds));
  }
  return rowOf(item, model, median(ours), median(stan), 'side by side');
}

function againstRecorded(item: CorpusModel, model: Model, time: () => number): GradientRow | null {
  const recorded = item.recorded.nanosecondsPerGradient;
  if (recorded === undefined) return null;
  const ours = median([0, 1, 2].map(time));
  return rowOf(item, model, ours, recorded, 'recorded');
}

function rowOf(
  item: CorpusModel,
  model: Model,
  ours: number,
  stan: number,
  source: GradientRow['source'],
): GradientRow {
  return { name: item.name, dimension: model.dimension, ours, stan, ratio: stan / ours, source };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRng } from '../../../src/inference/random/random-stream.js';
import type { Model } from '../../../src/model/model.js';
import { buildModel, compileProgram } from '../../conformance/engine.js';
import { type CorpusModel, corpus, geometricMean, median } from '../corpus.js';
import { Oracle } from '../oracle.js';
import { OwnProcess } from '../own-process.js';
import { unpackPosteriordb } from './posteriordb.js';
import { type Evaluation, type Measured, Stanli } from './stanli.js';

const FORM = { propto: true, jacobian: true };
const TURNS = 3;
const POINTS = 3;

/** Nanoseconds per gradient; null if an engine does not evaluate the model or is not installed. */
export interface PeerRow {
  readonly name: string;
  readonly dimension: number;
  readonly ours: number;
  readonly stanli: number | null;
  readonly stanliFast: number | null;
  readonly stan: number | null;
  /** Largest difference of a derivative from stanli's default mode, relative to the norm of the gradient. */
  readonly difference: number | null;
}

type Engine = 'ours' | 'stanli' | 'stanliFast' | 'stan';

/**
 * Time per gradient of each model of a checkout of posteriordb, or of a folder of models, for Leapfrog, stanli in both modes and real Stan
 * -O3, in alternation. One thread each; processor time.
 */
export function benchPeers(folder: string, only: RegExp, seconds: number, withStan: boolean): PeerRow[] {
  const stanli = Stanli.find();
  const oracle = withStan ? Oracle.find() : null;
  if (stanli === null) console.log('stanli is not installed (LEAPFROG_PEER_PYTHON names the Python that has it)');
  if (oracle === null) console.log('real Stan is left out');
  const models = existsSync(join(folder, 'posterior_database')) ? unpackPosteriordb(folder) : folder;
  const engines = { own: new OwnProcess(), stanli, oracle };
  const rows: PeerRow[] = [];
  for (const item of corpus(models, only)) {
    const row = compareOn(item, engines, seconds);
    if (row === null) continue;
    rows.push(row);
    console.log(describe(row));
  }
  summarize(rows);
  return rows;
}

interface Engines {
  readonly own: OwnProcess;
  readonly stanli: Stanli | null;
  readonly oracle: Oracle | null;
}

function compareOn(item: CorpusModel, { own, stanli, oracle }: Engines, seconds: number): PeerRow | null {
  const model = attempt(item, 'ours', () => buildModel(compileProgram(item.text), item.dataText));
  if (model === null) return null;
  const points = pointsOf(model);
  if (points.length === 0) {
    console.log(`${item.name.padEnd(58)} left out: the density is finite at no point that was tried`);
    return null;
  }
  const run: Record<Engine, (() => Measured) | null> = {
    ours: () => measureOurs(own, item, { model, points, seconds }),
    stanli: stanli && (() => stanli.measure(item.program, item.data, points, 'default', seconds)),
    stanliFast: stanli && (() => stanli.measure(item.program, item.data, points, 'fast', seconds)),
    stan: oracle && (() => measureStan(oracle, item, points, seconds)),
  };
  const results: Record<Engine, Measured[]> = { ours: [], stanli: [], stanliFast: [], stan: [] };
  const failed = new Set<Engine>();
  for (let turn = 0; turn < TURNS; turn++)
    for (const engine of ['ours', 'stanli', 'stanliFast', 'stan'] as const) {
      const measure = run[engine];
      if (measure === null || failed.has(engine)) continue;
      const measured = attempt(item, engine, measure);
      if (measured === null) failed.add(engine);
      else results[engine].push(measured);
    }
  const time = (engine: Engine): number | null =>
    failed.has(engine) || results[engine].length === 0
      ? null
      : median(results[engine].map(({ nanoseconds }) => nanoseconds));
  const [ours, other] = [results.ours[0], results.stanli[0]];
  return {
    name: item.name,
    dimension: model.dimension,
    ours: time('ours') ?? Number.NaN,
    stanli: time('stanli'),
    stanliFast: time('stanliFast'),
    stan: time('stan'),
    difference: ours && other ? largestDifference(ours.evaluations, other.evaluations) : null,
  };
}

function attempt<T>(item: CorpusModel, engine: Engine, run: () => T): T | null {
  try {
    return run();
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n').at(-1) ?? '') : String(error);
    console.log(`${item.name.padEnd(58)} not by ${engine}: ${reason.slice(0, 120)}`);
    return null;
  }
}

/** Up to three points, uniform on (-1, 1), where density and gradient are finite. */
function pointsOf(model: Model): number[][] {
  const random = createRng(1, 1);
  const gradient = new Float64Array(model.dimension);
  const points: number[][] = [];
  for (let tries = 0; tries < 100 && points.length < POINTS; tries++) {
    const point = Float64Array.from({ length: model.dimension }, () => 2 * random.uniform() - 1);
    try {
      const value = model.logDensityGradient(point, gradient, FORM);
      if (Number.isFinite(value) && gradient.every(Number.isFinite)) points.push([...point]);
    } catch {
      // Rejected here; another point may be accepted.
    }
  }
  return points;
}

interface OwnMeasurement {
  readonly model: Model;
  readonly points: readonly (readonly number[])[];
  readonly seconds: number;
}

function measureOurs(own: OwnProcess, item: CorpusModel, { model, points, seconds }: OwnMeasurement): Measured {
  const gradient = new Float64Array(model.dimension);
  const evaluations = points.map((point) => {
    const value = model.logDensityGradient(Float64Array.from(point), gradient, FORM);
    return { value, gradient: [...gradient] };
  });
  return { nanoseconds: own.gradient(item.program, item.data, points, seconds), evaluations };
}

function measureStan(
  oracle: Oracle,
  item: CorpusModel,
  points: readonly (readonly number[])[],
  seconds: number,
): Measured {
  oracle.build(item.program);
  return { nanoseconds: oracle.gradient(item.program, item.data, points, seconds), evaluations: [] };
}

function largestDifference(ours: readonly Evaluation[], other: readonly Evaluation[]): number {
  let largest = 0;
  for (const [k, { gradient }] of ours.entries()) {
    const theirs = other[k]?.gradient ?? [];
    const norm = Math.hypot(...gradient) || 1;
    for (const [i, value] of gradient.entries())
      largest = Math.max(largest, Math.abs(value - (theirs[i] ?? Number.NaN)) / norm);
  }
  return largest;
}

function describe({ name, dimension, ours, stanli, stanliFast, stan, difference }: PeerRow): string {
  const against = (other: number | null): string => (other === null ? '–' : (other / ours).toFixed(2)).padStart(7);
  const columns = [against(stanli), against(stanliFast), against(stan)].join('');
  const note =
    difference !== null && !(difference < 1e-8) ? `  gradients differ by ${difference.toExponential(1)}` : '';
  return `${name.padEnd(58)} ${String(dimension).padStart(5)} ${ours.toFixed(0).padStart(9)} ns${columns}${note}`;
}

/** The speed of Leapfrog relative to each of the others: geometric mean and minimum over the models that both evaluate. */
function summarize(rows: readonly PeerRow[]): void {
  const best = ({ stanli, stanliFast }: PeerRow): number | null =>
    stanli === null || stanliFast === null ? (stanli ?? stanliFast) : Math.min(stanli, stanliFast);
  const others: Record<string, (row: PeerRow) => number | null> = {
    'stanli, default': ({ stanli }) => stanli,
    'stanli, fast': ({ stanliFast }) => stanliFast,
    'the better of both': best,
    'real Stan': ({ stan }) => stan,
  };
  for (const [label, timeOf] of Object.entries(others)) {
    const ratios = rows.flatMap((row) => {
      const other = timeOf(row);
      return other === null ? [] : [{ name: row.name, ratio: other / row.ours }];
    });
    if (ratios.length === 0) continue;
    const least = ratios.reduce((low, row) => (row.ratio < low.ratio ? row : low));
    const mean = geometricMean(ratios.map(({ ratio }) => ratio));
    console.log(
      `bench peers: ${label}: ${mean.toFixed(2)} (geometric mean of ${ratios.length}), least ${least.ratio.toFixed(2)} ${least.name}`,
    );
  }
}

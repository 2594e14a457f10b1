import { resolve } from 'node:path';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { type CorpusModel, corpus, geometricMean, median } from './corpus.js';

const FORM = { propto: true, jacobian: true };
const REPETITIONS = 5;

export interface HessianRow {
  readonly name: string;
  readonly dimension: number;
  /** The time of a Hessian relative to that of the gradients for central differences. */
  readonly ratio: number;
  /** Milliseconds to compile with second derivatives, and without. */
  readonly compile: readonly [twice: number, once: number];
}

/** The time of a compiled Hessian compared with two gradients per parameter, and the time to compile both modules, alternating; processor time. */
export function benchHessians(folder: string, only: RegExp, seconds: number): HessianRow[] {
  const rows: HessianRow[] = [];
  for (const item of corpus(resolve(folder), only)) {
    const row = measured(item, seconds);
    if (typeof row === 'string') console.log(`${item.name.padEnd(40)} ${row}`);
    if (typeof row === 'string') continue;
    rows.push(row);
    const [twice, once] = row.compile.map((milliseconds) => milliseconds.toFixed(1).padStart(6));
    console.log(
      `${row.name.padEnd(40)} ${String(row.dimension).padStart(5)} ${row.ratio.toFixed(2)}x  compiled in ${twice} ms, ${once} without`,
    );
  }
  if (rows.length === 0) return rows;
  const mean = geometricMean(rows.map(({ ratio }) => ratio));
  const worst = rows.reduce((high, row) => (row.ratio > high.ratio ? row : high));
  const compiled = median(rows.map(({ compile: [twice, once] }) => twice / once));
  console.log(
    `bench hessians: geometric mean ${mean.toFixed(2)}, worst ${worst.ratio.toFixed(2)} ${worst.name}, compiled in ${compiled.toFixed(2)} times the time, ${rows.length} models`,
  );
  return rows;
}

function measured({ dataText, name, points, text }: CorpusModel, seconds: number): HessianRow | string {
  const [point] = points;
  const compiled = compileProgram(text, { secondDerivatives: true });
  const { hessian } = compiled.artifact;
  if (hessian?.kind !== 'exact') return `differences: ${hessian?.reason}`;
  if (point === undefined || point.length === 0) return 'has no parameters';
  const compile = fastest(
    () => compileProgram(text, { secondDerivatives: true }),
    () => compileProgram(text),
  );
  const model = buildModel(compiled, dataText);
  const [exact, differences] = evaluations(model, Float64Array.from(point));
  const once = time(exact);
  const count = Math.max(1, Math.round((1000 * seconds) / Math.max(once, 0.001)));
  const repeated = (run: () => void) => () => {
    for (let k = 0; k < count; k++) run();
  };
  const [ours, theirs] = fastest(repeated(exact), repeated(differences));
  return { name, dimension: model.dimension, ratio: ours / theirs, compile };
}

/** A Hessian, and the gradients of its central differences. */
function evaluations(model: Model, position: Float64Array): readonly [() => void, () => void] {
  const { dimension } = model;
  const hessian = new Float64Array(dimension * dimension);
  const gradient = new Float64Array(dimension);
  return [
    () => {
      model.hessian(position, hessian, FORM);
    },
    () => {
      for (let k = 0; k < 2 * dimension; k++) model.logDensityGradient(position, gradient, FORM);
    },
  ];
}

/** The shortest time of each; the measurements alternate. */
function fastest(first: () => unknown, second: () => unknown): readonly [number, number] {
  let [one, two] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let k = 0; k < REPETITIONS; k++) {
    one = Math.min(one, time(first));
    two = Math.min(two, time(second));
  }
  return [one, two];
}

/** Processor time, in milliseconds. */
function time(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { system, user } = process.cpuUsage(before);
  return (user + system) / 1000;
}

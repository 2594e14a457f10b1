/**
 * The process of one measurement: `node own-gradient.js PROGRAM DATA POINTS SECONDS`. All arguments but the last are files. Prints the
 * processor time per gradient in nanoseconds, as a sampler evaluates it, cycling over the points.
 */
import { readFileSync } from 'node:fs';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram, readJson } from '../conformance/engine.js';

const FORM = { propto: true, jacobian: true };

type Points = readonly (readonly number[])[];

/** Processor time after which V8's optimizing compiler has taken over, in microseconds. */
const WARM_UP = 300_000;

function warmUp(model: Model, points: Points): void {
  const start = process.cpuUsage();
  for (;;) {
    timeGradient(model, points, 0.005);
    const { user, system } = process.cpuUsage(start);
    if (user + system >= WARM_UP) return;
  }
}

/** Processor time per gradient in nanoseconds, cycling over the points. */
function timeGradient(model: Model, points: Points, seconds: number): number {
  const positions = points.map((point) => Float64Array.from(point));
  const gradient = new Float64Array(model.dimension);
  const round = (count: number): number => {
    const start = process.cpuUsage();
    for (let i = 0, k = 0; i < count; i++) {
      model.logDensityGradient(positions[k], gradient, FORM);
      if (++k === positions.length) k = 0;
    }
    const { user, system } = process.cpuUsage(start);
    return 1e-3 * (user + system);
  };
  let count = 1;
  let elapsed = round(count);
  while (elapsed < 50 * seconds) {
    count *= 4;
    elapsed = round(count);
  }
  const wanted = Math.max(1, Math.round((count * 1000 * seconds) / elapsed));
  return (round(wanted) / wanted) * 1e6;
}

const [program, data, file, seconds] = process.argv.slice(2);
const points = readJson<Points>(file);
const model = buildModel(compileProgram(readFileSync(program, 'utf8')), readFileSync(data, 'utf8'));
warmUp(model, points);
console.log(timeGradient(model, points, Number(seconds)));

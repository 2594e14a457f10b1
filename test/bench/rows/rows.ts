import { parseStanData } from '../../../src/formats/stan-json.js';
import { createRng } from '../../../src/inference/random/random-stream.js';
import type { Model } from '../../../src/model/model.js';
import { modelsOf } from '../../conformance/engine.js';
import { KINDS, type RowsData, type RowsKind } from './kinds.js';

const ROWS = [100, 1_000, 10_000, 100_000, 1_000_000];
const FORM = { propto: true, jacobian: true };
const TURNS = 3;

/** The cost of a type of models for one number of rows. Times are processor time. */
export interface RowsRow {
  readonly name: string;
  readonly rows: number;
  /** Nanoseconds per gradient. */
  readonly gradient: number;
  /** Milliseconds to parse the JSON text of the data. */
  readonly reading: number;
  /** Milliseconds to create a model from the parsed data. */
  readonly binding: number;
  /** Bytes of the model's memory per 8 bytes of data, with every number of the data stored as a double. */
  readonly memory: number;
}

/** Cost of a gradient, of binding data and of memory by the number of rows. */
export function benchRows(only: RegExp, seconds: number): RowsRow[] {
  const rows = KINDS.filter(({ name }) => only.test(name)).flatMap((kind) => {
    const build = modelsOf(kind.program);
    return ROWS.map((count) => {
      const row = measure(kind, build, count, seconds);
      console.log(describe(row));
      return row;
    });
  });
  summarize(rows);
  return rows;
}

type Build = ReturnType<typeof modelsOf>;

function measure({ name, dataOf }: RowsKind, build: Build, rows: number, seconds: number): RowsRow {
  const data = dataOf(rows);
  const text = JSON.stringify(data);
  let reading = Number.POSITIVE_INFINITY;
  let binding = Number.POSITIVE_INFINITY;
  let gradient = Number.POSITIVE_INFINITY;
  let bytes = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const [parsed, read] = timed(() => parseStanData(text));
    const [model, bound] = timed(() => build(parsed));
    reading = Math.min(reading, read);
    binding = Math.min(binding, bound);
    gradient = Math.min(gradient, timeGradient(model, seconds));
    bytes = model.memoryBytes;
  }
  return { name, rows, gradient, reading, binding, memory: bytes / (8 * countOf(data)) };
}

/** The result of a function, and its processor time in milliseconds. */
function timed<T>(run: () => T): [T, number] {
  const start = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(start);
  return [result, 1e-3 * (user + system)];
}

function timeGradient(model: Model, seconds: number): number {
  const random = createRng(1, 1);
  const position = Float64Array.from({ length: model.dimension }, () => 0.2 * (random.uniform() - 0.5));
  const gradient = new Float64Array(model.dimension);
  for (let count = 1; ; count *= 2) {
    const [, elapsed] = timed(() => {
      for (let i = 0; i < count; i++) model.logDensityGradient(position, gradient, FORM);
    });
    if (elapsed >= 1e3 * seconds) return (1e6 * elapsed) / count;
  }
}

function countOf(data: RowsData): number {
  return Object.values(data).reduce<number>(
    (sum, value) => sum + (typeof value === 'number' ? 1 : value.flat().length),
    0,
  );
}

function describe({ name, rows, gradient, reading, binding, memory }: RowsRow): string {
  const columns = [gradient.toFixed(0), reading.toFixed(1), binding.toFixed(1), (binding / reading).toFixed(2)];
  return `${name.padEnd(32)} ${String(rows).padStart(8)} ${columns.map((text) => text.padStart(11)).join('')} ${memory.toFixed(2).padStart(8)}`;
}

/** The highest figures at the largest number of rows. */
function summarize(rows: readonly RowsRow[]): void {
  const largest = rows.filter((row) => row.rows === ROWS.at(-1));
  if (largest.length === 0) return;
  const binding = Math.max(...largest.map((row) => row.binding / row.reading));
  const memory = Math.max(...largest.map((row) => row.memory));
  console.log(
    `bench rows: at ${ROWS.at(-1)} rows, binding takes at most ${binding.toFixed(2)} times the time of reading, and memory is at most ${memory.toFixed(2)} times the data`,
  );
}

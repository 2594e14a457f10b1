import { resolve } from 'node:path';
import { analyze } from '../../src/analyze.js';
import { corpus, median } from './corpus.js';

const ROUNDS = 15;

export interface AnalyzeRow {
  readonly name: string;
  readonly lines: number;
  readonly milliseconds: number;
  /** Including pedantic warnings. */
  readonly pedantic: number;
}

/** Time to check, describe and format each model in a warm process: after one run of the whole corpus, medians. */
export function benchAnalyze(folder: string, only: RegExp): AnalyzeRow[] {
  const items = corpus(resolve(folder), only);
  for (const { text } of items) analyze(text, { pedantic: true });
  const rows = items.map(({ name, text }) => ({
    name,
    lines: text.trimEnd().split('\n').length,
    milliseconds: time(() => analyze(text)),
    pedantic: time(() => analyze(text, { pedantic: true })),
  }));
  for (const { name, lines, milliseconds, pedantic } of rows) {
    console.log(`${name.padEnd(40)} ${lines} lines  ${milliseconds.toFixed(2)} ms, pedantic ${pedantic.toFixed(2)} ms`);
  }
  const per200 = (of: (row: AnalyzeRow) => number) => median(rows.map((row) => (200 * of(row)) / row.lines)).toFixed(1);
  const [plain, pedantic] = [per200((row) => row.milliseconds), per200((row) => row.pedantic)];
  console.log(`bench analyze: median for 200 lines ${plain} ms, pedantic ${pedantic} ms, ${rows.length} models`);
  return rows;
}

function time(run: () => void): number {
  return median(
    Array.from({ length: ROUNDS }, () => {
      const start = performance.now();
      run();
      return performance.now() - start;
    }),
  );
}

import { resolve } from 'node:path';
import { compileProgram, Unsupported } from '../conformance/engine.js';
import { corpus, median } from './corpus.js';

export interface CompileRow {
  readonly name: string;
  readonly milliseconds: number;
  /** The first compilation of this program in the process. */
  readonly first: number;
  readonly stages: Readonly<Record<string, number>>;
}

/** Time to compile each model in a warm process: the whole corpus once to warm up, then the median of five runs each. */
export function benchCompile(folder: string, only: RegExp): CompileRow[] {
  const items = corpus(resolve(folder), only).filter(({ text }) => isSupported(text));
  const rows = items.map(({ name, text }): CompileRow => {
    const runs = Array.from({ length: 5 }, () => {
      const start = performance.now();
      const { stages, wasm } = compileProgram(text);
      new WebAssembly.Module(wasm);
      return { milliseconds: performance.now() - start, stages };
    });
    const sorted = [...runs].sort((a, b) => a.milliseconds - b.milliseconds);
    const middle = sorted[2];
    return {
      name,
      milliseconds: middle.milliseconds,
      first: runs[0].milliseconds,
      stages: Object.fromEntries(middle.stages.map((stage) => [stage.name, stage.milliseconds])),
    };
  });
  for (const { name, milliseconds, stages } of rows) {
    const parts = Object.entries(stages).map(([stage, ms]) => `${stage} ${ms.toFixed(1)}`);
    console.log(`${name.padEnd(40)} ${milliseconds.toFixed(1).padStart(6)} ms  ${parts.join('  ')}`);
  }
  const worst = rows.reduce((high, row) => (row.milliseconds > high.milliseconds ? row : high), rows[0]);
  console.log(
    `bench compile: median ${median(rows.map(({ milliseconds }) => milliseconds)).toFixed(1)} ms, worst ${worst?.milliseconds.toFixed(1)} ms ${worst?.name}, ${rows.length} models`,
  );
  return rows;
}

function isSupported(text: string): boolean {
  try {
    compileProgram(text);
    return true;
  } catch (error) {
    if (error instanceof Unsupported) return false;
    throw error;
  }
}

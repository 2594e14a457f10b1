import { type Profiler, Session } from 'node:inspector';

/** Execution counts of the engine's own code: of its functions, and of the branches and loops in them. */
export interface Work {
  readonly total: number;
  /** By file and function. */
  readonly byFunction: ReadonlyMap<string, number>;
}

/**
 * Counts executions of the blocks of our code with V8's precise coverage. The same input gives the same number, whatever else the machine
 * does, and a difference names the function. Work inside built-in functions (`slice`, `includes`, spreading) is not counted.
 */
export class WorkCounter {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  count(run: () => void): Work {
    this.#take();
    run();
    const byFunction = new Map<string, number>();
    let total = 0;
    for (const { url, functions } of this.#take()) {
      const [, file] = url.split('/dist/src/');
      if (file === undefined) continue;
      for (const { functionName, ranges } of functions) {
        const count = ranges.reduce((sum, range) => sum + range.count, 0);
        if (count === 0) continue;
        const name = `${file.replace(/\.js$/, '.ts')} ${functionName}@${ranges[0].startOffset}`;
        byFunction.set(name, (byFunction.get(name) ?? 0) + count);
        total += count;
      }
    }
    return { total, byFunction };
  }

  /** Counts since the previous call. */
  #take(): readonly Profiler.ScriptCoverage[] {
    let taken: readonly Profiler.ScriptCoverage[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error;
      taken = result;
    });
    return taken;
  }

  close(): void {
    this.#session.disconnect();
  }
}

import type { ProfileMark } from '../wasm/artifact.js';

/** The time spent in the `profile` blocks with one name. */
export interface Profile {
  readonly name: string;
  readonly seconds: number;
  readonly runs: number;
}

interface Clock {
  milliseconds: number;
  runs: number;
  started: number;
}

/** The times of `profile` blocks, in the order in which they first ran. Executions that do not reach the end of a block do not count. */
export class Profiles {
  readonly #clocks = new Map<string, Clock>();

  mark({ name, phase }: ProfileMark): void {
    const now = performance.now();
    const clock = this.#clocks.get(name) ?? { milliseconds: 0, runs: 0, started: now };
    this.#clocks.set(name, clock);
    if (phase === 'enter') clock.started = now;
    else {
      clock.milliseconds += now - clock.started;
      clock.runs++;
    }
  }

  /** Adds times that another instance has measured. */
  add({ name, runs, seconds }: Profile): void {
    const { milliseconds = 0, runs: before = 0, started = 0 } = this.#clocks.get(name) ?? {};
    this.#clocks.set(name, { milliseconds: milliseconds + 1000 * seconds, runs: before + runs, started });
  }

  list(): readonly Profile[] {
    return [...this.#clocks].map(([name, { milliseconds, runs }]) => ({ name, seconds: milliseconds / 1000, runs }));
  }
}

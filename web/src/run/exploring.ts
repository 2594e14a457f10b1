/** Runs a program again with other numbers: short runs that start from the previous draws, one at a time, in the library's workers. */
import { CompileError, type Fit, type Model } from 'leapfrog';
import { slidersOf, withConstantsAsData } from '#engine/derive/sliders.js';
import { withMembers } from '../data/members.js';
import { reasonOf } from '../reasons.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import type { Inputs, TextFile } from '../state/project.js';
import type { Run } from '../state/run.js';
import { modelOfRun } from './compiled.js';
import { isSampler } from './functions.js';

/** A short run: its warmup adapts the step size and the metric of the previous one. */
const QUICK = { num_chains: 4, num_warmup: 100, num_samples: 250, refresh: 0 };
/** Milliseconds after which newer values end a run. */
const PATIENCE = 1000;

/** Values by the names of data variables, and of constants in the derived program. */
export type Values = ReadonlyMap<string, number>;

export interface Explored {
  readonly fit: Fit;
  readonly values: Values;
  /** Milliseconds from the last move until the draws arrived. */
  readonly took: number;
}

interface Listener {
  readonly onDraws: (explored: Explored) => void;
  readonly onProblem: (reason: string) => void;
  /** Called when no value is left to run. */
  readonly onPause: () => void;
}

export function slidersIn({ includes, program }: Pick<Inputs, 'includes' | 'program'>) {
  return slidersOf(programText(program, includes));
}

export function programText(text: string, includes: readonly TextFile[]) {
  return {
    name: PROGRAM_FILE,
    text,
    includes: Object.fromEntries(includes.map((file) => [file.name, file.text])),
  };
}

/** Runs the program of a run with the latest values that were set. Values that are set during a run replace each other. */
export class Exploration {
  readonly #run: Run;
  readonly #listener: Listener;
  #previous: Fit | undefined;
  #model: Promise<Model> | undefined;
  #wanted: { readonly values: Values; readonly since: number } | undefined;
  #stop: AbortController | undefined;
  #begun = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `fit` are the draws of the run, from which the first short run starts. */
  constructor(run: Run, fit: Fit, listener: Listener) {
    this.#run = run;
    this.#listener = listener;
    this.#previous = isSampler(run) ? fit : undefined;
  }

  set(values: Values): void {
    this.#wanted = { values, since: performance.now() };
    if (this.#stop === undefined) void this.#follow();
    else this.#timer ??= setTimeout(() => this.#stop?.abort(), this.#begun + PATIENCE - performance.now());
  }

  close(): void {
    this.#wanted = undefined;
    this.#stop?.abort();
  }

  async #follow(): Promise<void> {
    for (let next = this.#wanted; next !== undefined; next = this.#wanted) {
      this.#wanted = undefined;
      const stop = new AbortController();
      this.#stop = stop;
      this.#begun = performance.now();
      try {
        const fit = await this.#draw(next.values, stop.signal);
        this.#previous = fit;
        this.#listener.onDraws({ fit, values: next.values, took: performance.now() - next.since });
      } catch (error) {
        if (!stop.signal.aborted) this.#listener.onProblem(reasonOf(error));
      }
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    this.#stop = undefined;
    this.#listener.onPause();
  }

  async #draw(values: Values, signal: AbortSignal): Promise<Fit> {
    this.#model ??= this.#compile();
    const model = await this.#model;
    const { data, settings } = this.#run.source;
    const changed = new Map([...values].map(([name, value]) => [name, String(value)]));
    const request = {
      ...QUICK,
      // The same numbers for all values, so that only the values move the draws.
      random_seed: settings.arguments.random_seed ?? 1,
      data: withMembers(data, changed),
      ...(this.#previous && { warm_start: this.#previous }),
    };
    return model.runMethod('sample', request, { signal, diagnostics: false }).result();
  }

  /** The model whose data are the values. Constants are real unless the program requires integers. */
  async #compile(): Promise<Model> {
    const { includes, program } = this.#run.source;
    const sliders = slidersIn(this.#run.source);
    if (sliders.constants.length === 0) return modelOfRun(this.#run);
    const text = programText(program, includes);
    const derived = (areIntegers: boolean) =>
      modelOfRun(this.#run, { program: withConstantsAsData(text, sliders, { areIntegers }).text, includes });
    try {
      return await derived(false);
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      return derived(true);
    }
  }
}

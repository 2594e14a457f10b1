import type { Description } from '../chain/compiler.js';
import { compileOn, openCompiled } from './compile-on.js';
import { Fit, type FitContents } from './fit.js';
import { Model } from './model.js';
import type { ModelContents } from './model-options.js';
import type { Platform } from './platform.js';
import { Threads } from './threads.js';

export interface SourceOptions {
  /** The name of the program in messages; `string` by default. */
  readonly name?: string;
  /** Included files: their texts, by the names in `#include`. */
  readonly includes?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface AnalyzeOptions extends SourceOptions {
  /** Whether to include the warnings of stanc's `--warn-pedantic`. */
  readonly pedantic?: boolean;
  /** Whether to include `costs`: the cost of an evaluation for each statement that adds to `target`. */
  readonly explain?: boolean;
}

/** The engine on a platform. */
export interface Library {
  /** Compiles a program to a model. Rejects with `CompileError` if it is not a valid Stan program. */
  compile(program: string, options?: SourceOptions): Promise<Model>;
  /** Errors, warnings, declarations and formatted source of a program. Does not compile it. */
  analyze(program: string, options?: AnalyzeOptions): Promise<Description>;
  /** Restores a model from the result of `Model.contents` of the same version of the library. */
  openModel(contents: ModelContents): Promise<Model>;
  /** Restores a fit from the result of `Fit.contents`. */
  openFit(contents: FitContents): Fit;
  /** Stops all threads and rejects pending calls. Later calls start new threads. */
  close(): void;
}

export function openLibrary(platform: Platform): Library {
  const threads = new Threads(platform);
  return {
    async compile(program, { includes = {}, name = 'string', signal } = {}) {
      const source = { name, program, includes };
      return new Model(threads, source, await compileOn(threads, source, {}, signal));
    },
    async openModel({ artifact, source, warnings, wasm }) {
      return new Model(threads, source, await openCompiled(source, artifact, wasm, warnings));
    },
    async analyze(program, { explain = false, includes = {}, name = 'string', pedantic = false, signal } = {}) {
      const order = { kind: 'describe', source: { name, program, includes }, pedantic, explain } as const;
      const { description } = await threads.perform(order, 'described', { signal });
      return description;
    },
    openFit: (contents) => new Fit(contents, threads),
    close: () => threads.close(),
  };
}

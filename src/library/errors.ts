/** Errors of the library. Internal faults are plain `Error`s; after an abort, calls reject with the signal's reason. */
import type { DiagnosticDetail } from '../chain/compiler.js';

export { RunError } from '../chain/run-error.js';
export { RequestError } from '../requests/request-error.js';

/** The program is invalid. The message is the compiler's output. */
export class CompileError extends Error {
  override readonly name = 'CompileError';
  readonly diagnostics: readonly DiagnosticDetail[];

  constructor(text: string, diagnostics: readonly DiagnosticDetail[]) {
    super(text);
    this.diagnostics = diagnostics;
  }
}

/**
 * A part of the library that is loaded on demand is unavailable, because the network is down or its files have been
 * replaced.
 */
export class LoadError extends Error {
  override readonly name = 'LoadError';
}

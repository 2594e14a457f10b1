/** Errors of the library. Internal faults are plain `Error`s; after an abort, calls reject with the signal's reason. */
import type { FailureDetail } from '../model/failure-detail.js';
import type { DiagnosticDetail } from '../run/engine.js';
import type { Refused } from '../run/request.js';

export { RequestError } from '../run/request-error.js';

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

/**
 * The program, its data or its inputs caused an error at run time. The message is the program's, with the preceding
 * warnings.
 */
export class RunError extends Error {
  override readonly name = 'RunError';
  /** The error as data: its code, and the variable or the location of the program, if known. */
  readonly detail: FailureDetail;

  constructor({ detail, message }: Pick<Refused, 'detail' | 'message'>) {
    super(message);
    this.detail = detail;
  }
}

/** Errors in responses. */
import { UnwritableFile } from '../fit-files/unwritable-file.js';
import { CompileError, RequestError, RunError } from '../library/public.js';
import { UnreadableFile } from '../node/input-files.js';

/** A failure. `kind` is the class of the exception that the client raises. */
export interface Failure {
  readonly kind: 'program' | 'request' | 'run' | 'cancelled' | 'internal';
  readonly message: string;
  /** Errors of a program with their lines (from 1) and columns (from 0). */
  readonly diagnostics?: CompileError['diagnostics'];
  /** What failed at run time. Lines count from 1, and columns of programs from 0. */
  readonly detail?: RunError['detail'];
}

export function failureOf(error: unknown): Failure {
  if (error instanceof CompileError) return { kind: 'program', message: error.message, diagnostics: error.diagnostics };
  if (error instanceof RequestError || error instanceof UnreadableFile || error instanceof UnwritableFile)
    return { kind: 'request', message: error.message };
  if (error instanceof RunError) return { kind: 'run', message: error.message, detail: error.detail };
  if (!(error instanceof Error)) return { kind: 'internal', message: String(error) };
  if (error.name === 'AbortError') return { kind: 'cancelled', message: error.message };
  return { kind: 'internal', message: error.stack ?? error.message };
}

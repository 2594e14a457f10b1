import { CompileError, close, RunError } from '../node/library/index.js';
import { CommandError, INTERRUPTED } from './errors.js';

/**
 * Runs an action with the library, and ends the library's threads. Errors of programs and runs become errors of the
 * command.
 */
export async function withLibrary<Result>(signal: AbortSignal, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (signal.aborted) throw new CommandError('Interrupted.', INTERRUPTED);
    if (error instanceof CompileError) throw new CommandError(error.message);
    throw error instanceof RunError ? new CommandError(`error: ${error.message}`) : error;
  } finally {
    close();
  }
}

import { CompileError, close } from '../../node/library/index.js';
import { CommandError, INTERRUPTED } from '../errors.js';

/**
 * Runs an action with the library, and ends the library's threads. Errors of programs become errors of the command.
 */
export async function withLibrary<Result>(signal: AbortSignal, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (signal.aborted) throw new CommandError('Interrupted.', INTERRUPTED);
    throw error instanceof CompileError ? new CommandError(error.message) : error;
  } finally {
    close();
  }
}

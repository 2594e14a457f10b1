import { RunError } from '../chain/run-error.js';
import { UnwritableFile } from '../fit-files/unwritable-file.js';
import { UnreadableFile } from '../node/input-files.js';
import { isSystemError, storageFaultOf, systemReason } from '../node/system-errors.js';
import { RequestError } from '../requests/request-error.js';

/** An error that ends a command, with a message for the user and an exit code (by default 1). */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Exit code of a command that the user has stopped: 128 and the number of SIGINT. */
export const INTERRUPTED = 130;

export const TOO_MANY_FILES = 'error: too many open files; raise the limit with ulimit -n, or run fewer chains';

/** Errors of the operating system, of input files, of requests and of runs as errors of a command; other errors unchanged. */
export function reported(error: unknown): unknown {
  if (storageFaultOf(error) === 'too many open files') return new CommandError(TOO_MANY_FILES);
  const isOfClient = error instanceof RequestError || error instanceof RunError;
  const isExpected = isSystemError(error) || error instanceof UnreadableFile || isOfClient;
  return isExpected ? new CommandError(`error: ${error.message}`) : error;
}

/** The system's description of an error with a file, or the message of any other error. */
export function reasonOf(error: unknown): string {
  if (isSystemError(error)) return systemReason(error);
  return error instanceof Error ? error.message : String(error);
}

/** Runs an action that writes a file. Converts system errors to a message of one line. */
export function writing<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Like `writing`, for an asynchronous action. */
export async function writingLater<Result>(path: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, error: unknown): unknown {
  const found = UnwritableFile.of(path, error);
  return found instanceof UnwritableFile ? new CommandError(`error: ${found.message}`) : found;
}

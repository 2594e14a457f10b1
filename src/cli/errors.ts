import { isSystemError, systemReason } from '../node/system-errors.js';
import { UnwritableFile } from '../service/fits/unwritable-file.js';

/** What ends a command: its message is for the user, and the exit code is 1 unless told. */
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

/** What went wrong with a file that is named beside, in the system's words, or what an error says. */
export function reasonOf(error: unknown): string {
  if (isSystemError(error)) return systemReason(error);
  return error instanceof Error ? error.message : String(error);
}

/** Has an action write a file, and says in a line why the system does not let it. */
export function writing<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** As `writing`, for an action that takes its time. */
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

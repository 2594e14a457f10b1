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

/** What went wrong with a file, without the stack. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

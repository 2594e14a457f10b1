import { getSystemErrorMap } from 'node:util';

/** A file of the user that the system does not let write; the message is for the user. */
export class UnwritableFile extends Error {
  override readonly name = 'UnwritableFile';

  private constructor(path: string, cause: Error & { readonly errno: number }) {
    super(`${path} cannot be written: ${systemReason(cause)}`, { cause });
  }

  /** What to throw for an error that came up while a file was written: errors of ours stay as they are. */
  static of(path: string, error: unknown): unknown {
    return isSystemError(error) ? new UnwritableFile(path, error) : error;
  }
}

/** Whether the system has refused something, as opposed to a fault of ours. */
export function isSystemError(error: unknown): error is Error & { readonly errno: number } {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'number';
}

/** Why the system has refused something, in its words, without the path. */
export function systemReason(error: Error & { readonly errno: number }): string {
  return getSystemErrorMap().get(error.errno)?.[1] ?? error.message;
}

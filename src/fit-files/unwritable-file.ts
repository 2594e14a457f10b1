import { isSystemError, systemReason } from '../node/system-errors.js';

/** The user's output file cannot be written. The message is for the user. */
export class UnwritableFile extends Error {
  override readonly name = 'UnwritableFile';

  private constructor(path: string, cause: Error & { readonly errno: number }) {
    super(`${path} cannot be written: ${systemReason(cause)}`, { cause });
  }

  /** Converts a system error that occurred while writing a file; returns other errors unchanged. */
  static of(path: string, error: unknown): unknown {
    return isSystemError(error) ? new UnwritableFile(path, error) : error;
  }
}

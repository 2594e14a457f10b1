import { isSystemError, systemReason } from '../../node/system-errors.js';

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

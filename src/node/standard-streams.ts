import { isSystemError, systemReason } from './system-errors.js';

/** What writing gives when nobody reads any more: the other end of a pipe, or the terminal, is closed. */
const UNREAD: readonly unknown[] = ['EPIPE', 'EIO'];

/** Has commands go on when nobody reads what they write, as behind `| head`, and say in a line why it cannot be written. */
export function guardStandardStreams(): void {
  let said = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (said || UNREAD.includes(error.code)) return;
    said = true;
    process.exitCode = 1;
    process.stderr.write(
      `error: standard output cannot be written: ${isSystemError(error) ? systemReason(error) : error.message}\n`,
    );
  });
  process.stderr.on('error', () => undefined);
}

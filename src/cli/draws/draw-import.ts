import { startThread } from '../../node/entries.js';
import type { Pipes } from '../../node/input-files.js';
import { CommandError, INTERRUPTED } from '../errors.js';
import type { ImportedDraws } from './draw-files.js';
import type { ImportAnswer, ImportOrder } from './import-thread.js';

/**
 * Reads CSV, Arrow, netCDF or NDJSON files, and writes their chains as one fit to `folder`. Runs in a thread, so that
 * signals are handled while large files are read. `pipes` are the contents of those files that `readPipes` has read: a
 * thread that waits for a pipe cannot be terminated. Throws if `signal` is aborted.
 */
export async function importDraws(
  paths: readonly string[],
  folder: string,
  pipes: Pipes,
  signal: AbortSignal,
): Promise<ImportedDraws> {
  const order: ImportOrder = { paths, folder, pipes };
  const thread = startThread('import-thread', new URL('./import-thread.js', import.meta.url), { workerData: order });
  try {
    const answer = await new Promise<ImportAnswer>((resolve, reject) => {
      const giveUp = () => reject(new CommandError('Interrupted.', INTERRUPTED));
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      thread.once('message', resolve).once('error', (error) => reject(isTooLarge(error) ? tooLarge(paths) : error));
    });
    if ('problem' in answer) throw new CommandError(answer.problem);
    return answer.draws;
  } finally {
    await thread.terminate();
  }
}

function isTooLarge(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooLarge(paths: readonly string[]): CommandError {
  return new CommandError(`error: there is not enough memory to read ${paths.join(', ')}`);
}

/** Results of jobs in threads, of which a command expects certain kinds. */
import { tmpdir } from 'node:os';
import { DamagedFile } from '../../fit-files/checksums.js';
import type { StorageFault } from '../../node/system-errors.js';
import { isResult, type Job, type JobResult, type PerformJob } from '../../service/threads/protocol.js';
import { CommandError, TOO_MANY_FILES } from '../errors.js';

/** Runs jobs with `perform`. Throws `CommandError` for results of other kinds than the expected ones. */
export function expecting(perform: (job: Job) => Promise<JobResult>): PerformJob {
  return async (_, job, ...expected) => {
    const result = await perform(job);
    for (const kind of expected) if (isResult(result, kind)) return result;
    throw result.kind === 'refused' ? new CommandError(`error: ${result.message}`) : unexpected(result);
  };
}

function storageProblem(fault: StorageFault): CommandError {
  if (fault === 'too many open files') return new CommandError(TOO_MANY_FILES);
  if (fault === 'disk full') return new CommandError(`error: no space is left in ${tmpdir()}`);
  return new CommandError(`error: temporary files in ${tmpdir()} cannot be written: ${fault}`);
}

export function unexpected(result: JobResult): Error {
  if (result.kind === 'storage fault') return storageProblem(result.fault);
  if (result.kind === 'damaged') return new CommandError(`error: ${new DamagedFile(result.path, result.flaw).message}`);
  return new Error(result.kind === 'fault' ? result.report : `unexpected result of a worker: ${result.kind}`);
}

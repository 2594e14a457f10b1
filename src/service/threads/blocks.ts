/** Blocks of a chain's iterations. Each ends with a state from which the next one continues. */
import { statSync } from 'node:fs';
import type { RunOutcome } from '../../chain/request.js';
import { writeChainFiles } from '../../fit-files/chain-writer.js';
import { addRecord, JournalWriter } from '../../fit-files/journal.js';
import { chainFile, readState } from '../../fit-files/layout.js';
import { replayChain } from '../../fit-files/replay.js';
import { reportEnd } from '../../fits/execute.js';
import { MessageSink } from '../../formats/message-sink.js';
import type { Seconds } from '../../inference/algorithms/algorithm.js';
import type { ChainJob, CompletionJob } from './protocol.js';

/** A chain whose journal is ready for the next block, with the state at the end of the previous block. */
export async function resumedJob(job: ChainJob): Promise<ChainJob> {
  const { block, chain } = job;
  if (block?.earlier === undefined) return job;
  await restoreJournal(job, block.earlier);
  const from = readState(block.earlier, chain);
  if (from?.end === undefined) throw new Error('the state at the end of the previous block is missing');
  return { ...job, block: { ...block, from } };
}

/** Completes the journal of a chain and writes the files of a finished fit. */
export async function completeChain(job: CompletionJob): Promise<RunOutcome> {
  const { chain, durably, earlier, folder } = job;
  await restoreJournal(job, earlier);
  logEnd(job);
  writeChainFiles(folder, chain, durably, readState(earlier, chain));
  return { kind: 'finished' };
}

/** Logs the times of a chain that has run in blocks, and why it has stopped. */
export function logEnd({
  chain,
  folder,
  message,
  seconds,
  tagged,
}: Pick<ChainJob, 'chain' | 'folder' | 'tagged'> & {
  readonly seconds: Seconds | undefined;
  readonly message: string | undefined;
}): void {
  const journal = new JournalWriter(chainFile(folder, chain, 'journal'), undefined);
  try {
    const tag = tagged ? { chain } : {};
    const options = { drawNames: [], diagnosticNames: [], nonFinite: 'string', ...tag } as const;
    const sink = new MessageSink(options, (line) => journal.addLine(line));
    reportEnd(sink, seconds, message);
  } finally {
    journal.close();
  }
}

/** Writes the events so far to the journal, if the journal is in another process or an earlier folder. */
async function restoreJournal({ chain, folder }: Pick<ChainJob, 'chain' | 'folder'>, earlier: string): Promise<void> {
  const path = chainFile(folder, chain, 'journal');
  if (statSync(path).size > 0) return;
  let journal: JournalWriter | undefined;
  try {
    for await (const record of replayChain(earlier, chain)) {
      if (record.kind === 'header') journal = new JournalWriter(path, record.header);
      else if (journal !== undefined) addRecord(journal, record);
    }
  } finally {
    journal?.close();
  }
}

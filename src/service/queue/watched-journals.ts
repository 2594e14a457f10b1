/** The journals of an unfinished fit, shared by all of its followers. */
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { chainFile, FIT_RECORD } from '../../fit-files/layout.js';
import { namesIn, unlessMissing } from '../store/files.js';
import type { LiveJournal } from '../threads/follow-job.js';

/** State of a fit: `given up` if its operation failed, was cancelled or is left to the next server. */
export type Making = 'in progress' | 'finished' | 'given up';

/** An unfinished fit. */
export interface FitInTheMaking {
  /** The folder of its journals. */
  readonly folder: string;
  readonly state: () => Making;
  /** Called when the follower stops. */
  readonly release?: () => void;
}

/** Result of one check. Unless the fit is in progress, the sizes are final. */
export interface JournalSizes {
  readonly state: Making;
  /** Bytes of each journal. */
  readonly sizes: readonly number[];
}

const POLL_MILLISECONDS = 100;

/** The journals of all chains; undefined if the fit was finished before all could be opened. */
export async function openJournals(making: FitInTheMaking): Promise<WatchedJournals | undefined> {
  const { folder, state } = making;
  for (; state() === 'in progress'; await pause(POLL_MILLISECONDS)) {
    const names = namesIn(folder);
    const chains = chainsIn(names);
    const isBegun = chains.length > 0 && !names.includes(FIT_RECORD);
    const opened = await Promise.all(
      chains.map((chain) => unlessMissing(open(chainFile(folder, chain, 'journal'), 'r'))),
    );
    const files = opened.filter((file) => file !== undefined);
    // Journals are removed one by one after the fit has its record, so an earlier listing is complete.
    const isWhole = files.length === opened.length && isBegun && !namesIn(folder).includes(FIT_RECORD);
    if (isWhole) return new WatchedJournals(making, files, chains);
    for (const file of files) await file.close();
  }
  return undefined;
}

/** The indexes of chains whose journals are among these files. */
function chainsIn(names: readonly string[]): number[] {
  const matches = names.map((name) => /^chain-(\d+)\.journal$/.exec(name)).filter((match) => match !== null);
  return matches.map(([, id]) => Number(id)).sort((a, b) => a - b);
}

/** Open journals, checked at intervals while they are followed. They stay open when their files are removed. */
export class WatchedJournals {
  readonly chains: readonly number[];
  /** In the order of the chains. */
  readonly journals: readonly LiveJournal[];
  private readonly making: FitInTheMaking;
  private readonly files: readonly FileHandle[];
  private latest: JournalSizes | undefined;
  private looking: Promise<JournalSizes> | undefined;

  constructor(making: FitInTheMaking, files: readonly FileHandle[], chains: readonly number[]) {
    this.making = making;
    this.files = files;
    this.chains = chains;
    const fileOf = (chain: number) => chainFile(making.folder, chain, 'journal');
    this.journals = chains.map((chain, index) => ({ file: fileOf(chain), descriptor: files[index].fd }));
  }

  /** The sizes of the journals at a check after `previous`. */
  async look(previous: JournalSizes | undefined): Promise<JournalSizes> {
    if (this.latest !== undefined && this.latest !== previous) return this.latest;
    this.looking ??= this.lookAgain().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  async close(): Promise<void> {
    for (const file of this.files) await file.close();
  }

  private async lookAgain(): Promise<JournalSizes> {
    if (this.latest !== undefined) await pause(POLL_MILLISECONDS);
    // In this order, the sizes include everything that was written before the end.
    const state = this.making.state();
    const sizes = await Promise.all(this.files.map(async (file) => (await file.stat()).size));
    this.latest = { state, sizes };
    return this.latest;
  }
}

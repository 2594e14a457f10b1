import { setTimeout as pause } from 'node:timers/promises';
import { addRecord, JournalParser, type JournalRecord, JournalWriter } from '../../fit-files/journal.js';
import { chainFile } from '../../fit-files/layout.js';
import { replayChain } from '../../fit-files/replay.js';
import { isLastBlock } from '../queue/blocks.js';
import type { FitInTheMaking, Making } from '../queue/watched-journals.js';
import { attemptOf, type OperationRecord } from '../store/operation-record.js';
import { LostStore } from '../store/store.js';
import type { ChainBoard } from './chain-board.js';
import type { NatsFits } from './nats-fits.js';

/** Dependencies of a mirror. */
export interface MirrorParts {
  readonly board: ChainBoard;
  readonly fits: NatsFits;
  /** Requests a chain's journal from a byte position from the process that runs it; undefined without an answer. */
  readonly ask: (key: string, owner: string, from: number) => Promise<Uint8Array | undefined>;
  /** Whether an operation has not ended. */
  readonly isUnfinished: (record: OperationRecord) => Promise<boolean>;
}

/** Milliseconds between two reads of a chain's events. */
const INTERVAL = 100;

/**
 * Local copies of the journals of a fit that runs in other processes. They grow with the originals. A chain that is restarted
 * produces the same draws, so records that have already been copied are skipped.
 */
export class JournalMirror {
  readonly folder: string;
  private readonly parts: MirrorParts;
  private readonly record: OperationRecord;
  private readonly running: Promise<void>;
  private making: Making = 'in progress';
  private isClosed = false;

  constructor(parts: MirrorParts, record: OperationRecord) {
    this.parts = parts;
    this.record = record;
    this.folder = parts.fits.choose(record.modelId, record.id);
    this.running = this.run();
  }

  get fit(): Pick<FitInTheMaking, 'folder' | 'state'> {
    return { folder: this.folder, state: () => this.making };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.running;
    await this.parts.fits.discard(this.folder);
  }

  private async run(): Promise<void> {
    const { parts, record } = this;
    try {
      const ids = record.chains.map(({ chain }) => chain);
      await parts.fits.create(this.folder, ids);
      const ended = await Promise.all(ids.map((chain, index) => this.follow(chain, index)));
      while (!this.isClosed && (await this.isUnfinished())) await pause(INTERVAL);
      const isMade = !ended.includes(false) && (await this.whenKnown(() => parts.fits.has(record.modelId, record.id)));
      this.making = isMade ? 'finished' : 'given up';
    } catch {
      this.making = 'given up';
    }
  }

  private isUnfinished(): Promise<boolean> {
    return this.parts.isUnfinished(this.record).catch(() => true);
  }

  /** Resolves to whether all events of a chain have arrived. */
  private async follow(chain: number, index: number): Promise<boolean> {
    const copy = new JournalCopy(chainFile(this.folder, chain, 'journal'));
    const key = `${attemptOf(this.record)}.${index}`;
    try {
      await this.followRunning(key, copy);
      // The operation may publish the chain just as the chain ends.
      for (let isLast = false; !(await this.fetch(chain)); isLast = !(await this.isUnfinished())) {
        if (isLast || this.isClosed) return false;
        await pause(INTERVAL);
      }
      copy.beginAgain();
      for await (const each of replayChain(this.folder, chain)) copy.add(each);
      return true;
    } finally {
      copy.close();
    }
  }

  private fetch(chain: number): Promise<boolean> {
    const { modelId, id } = this.record;
    return this.whenKnown(() => this.parts.fits.fetchChain(modelId, id, chain, this.folder)).catch(() => false);
  }

  /** Retries until NATS responds or the last client has left. */
  private async whenKnown(ask: () => Promise<boolean>): Promise<boolean> {
    for (; !this.isClosed; await pause(INTERVAL)) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof LostStore)) throw error;
      }
    }
    return false;
  }

  /** Copies the events of a chain until it ends. */
  private async followRunning(key: string, copy: JournalCopy): Promise<void> {
    const { ask, board } = this.parts;
    let owner = '';
    let parser = new JournalParser(key);
    let from = 0;
    while (!this.isClosed) {
      const entry = board.get(key);
      if (entry === undefined || (entry.state.kind === 'ended' && isLastBlock(entry.state.block))) return;
      const isNew = entry.owner !== owner;
      if (isNew) {
        owner = entry.owner;
        parser = new JournalParser(key);
        from = 0;
        copy.beginAgain();
      }
      const bytes = entry.state.kind === 'taken' ? await ask(key, owner, from) : undefined;
      if (bytes === undefined || bytes.length === 0) {
        await pause(INTERVAL);
        continue;
      }
      from += bytes.length;
      parser.space().set(bytes);
      for (const each of parser.take(bytes.length)) copy.add(each);
      copy.flush();
    }
  }
}

/** A copy of a journal. Each record is written once. */
class JournalCopy {
  private readonly path: string;
  private writer: JournalWriter | undefined;
  /** Number of records written, and number received since the latest start of the chain. */
  private taken = 0;
  private given = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** The next record is the journal's first one again. */
  beginAgain(): void {
    this.given = 0;
  }

  add(record: JournalRecord): void {
    this.given++;
    if (this.given <= this.taken) return;
    this.taken++;
    if (record.kind === 'header') this.writer = new JournalWriter(this.path, record.header);
    else if (this.writer !== undefined) addRecord(this.writer, record);
  }

  flush(): void {
    this.writer?.flush();
  }

  close(): void {
    this.writer?.close();
  }
}

import { lstatSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sealed } from './checksums.js';
import { entriesIn, forEachFile, readTextIfThere, removeFile, writeAtomically } from './files.js';
import { isIdentifier } from './identifiers.js';
import { operationOf } from './own-files.js';
import { Recent } from './recent.js';

export type OperationState = 'running' | 'ended';

/** How many ended operations are remembered, and how many bytes of them. */
const MOST_ENDED = 10_000;
const MOST_ENDED_BYTES = 2 ** 28;

/** Records of operations: of those that have not ended, and of those that ended last. */
export class OperationRecords {
  private readonly root: string;
  private readonly requireFolder: () => void;
  private known: Recent | undefined;

  /** `root` has a folder for each state. `requireFolder` throws when nothing can be kept. */
  constructor(root: string, requireFolder: () => void) {
    this.root = root;
    this.requireFolder = requireFolder;
  }

  /** Keeps the record of an operation. Of many that have ended, the oldest ones are forgotten. */
  async save(state: OperationState, id: string, record: string): Promise<void> {
    this.requireFolder();
    await writeAtomically(this.path(state, id), sealed(record));
    if (state === 'running') return;
    this.ended.add(id, Buffer.byteLength(record));
    await this.forgetSurplus();
  }

  async read(state: OperationState, id: string): Promise<string | undefined> {
    return isIdentifier(id) ? readTextIfThere(this.path(state, id)) : undefined;
  }

  /** False when there is none. */
  async remove(state: OperationState, id: string): Promise<boolean> {
    if (!isIdentifier(id)) return false;
    if (state === 'ended') this.ended.remove(id);
    return removeFile(this.path(state, id));
  }

  /** Counts an operation that runs as ended, its record as it is. */
  async giveUp(id: string): Promise<void> {
    const ended = this.path('ended', id);
    await rename(this.path('running', id), ended);
    this.ended.add(id, lstatSync(ended).size);
  }

  /** Operations that have not ended. */
  runningIds(): string[] {
    return this.idsOnDisk('running');
  }

  /** Operations that have ended, the first to end first. */
  endedIds(): string[] {
    return this.ended.names();
  }

  /** When an operation ended, in milliseconds since 1970, such that no two have the same; undefined for one that has not. */
  endOf(id: string): number | undefined {
    return this.ended.timeOf(id);
  }

  /** Where the record of an operation that has ended is. */
  endedPath(id: string): string {
    return this.path('ended', id);
  }

  /** Those that have ended. What an earlier server has left is looked at when it first matters: a start does not wait for it. */
  private get ended(): Recent {
    if (this.known !== undefined) return this.known;
    this.known = new Recent(MOST_ENDED, MOST_ENDED_BYTES);
    const found = this.idsOnDisk('ended').map((id) => {
      const file = lstatSync(this.path('ended', id), { throwIfNoEntry: false });
      return { id, ended: file?.mtimeMs ?? 0, size: file?.size ?? 0 };
    });
    for (const { id, size, ended } of found.sort((a, b) => a.ended - b.ended)) this.known.add(id, size, ended);
    for (const id of this.known.takeSurplus()) rmSync(this.path('ended', id), { force: true });
    return this.known;
  }

  private idsOnDisk(state: OperationState): string[] {
    const files = entriesIn(join(this.root, state)).filter((entry) => entry.isFile());
    return files.map(({ name }) => operationOf(name)).filter((id) => id !== undefined);
  }

  private async forgetSurplus(): Promise<void> {
    await forEachFile(this.ended.takeSurplus(), (id) => removeFile(this.path('ended', id)));
  }

  private path(state: OperationState, id: string): string {
    return join(this.root, state, `${id}.json`);
  }
}

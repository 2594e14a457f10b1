import { lstatSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ifDamaged, sealed } from '../../fit-files/checksums.js';
import { entriesIn, forEachFile, readText, removeFile, writeAtomically } from './files.js';
import { isIdentifier } from './identifiers.js';
import { operationOf } from './own-files.js';
import { Recent } from './recent.js';
import type { EndedOperation, OperationState, RecordSource, StoredOperations } from './store.js';

/** Maximum number and total size of records of ended operations. */
const MOST_ENDED = 10_000;
const MOST_ENDED_BYTES = 2 ** 28;

/** Records of operations on disk. */
export class OperationRecords implements StoredOperations {
  private readonly root: string;
  private readonly requireFolder: () => void;
  private known: Recent | undefined;

  /** `root` has a folder for each state. `requireFolder` throws if the store cannot be written. */
  constructor(root: string, requireFolder: () => void) {
    this.root = root;
    this.requireFolder = requireFolder;
  }

  async save(state: OperationState, id: string, record: string): Promise<void> {
    this.requireFolder();
    await writeAtomically(this.path(state, id), sealed(record));
    if (state === 'running') return;
    this.recent.add(id, Buffer.byteLength(record));
    await this.forgetSurplus();
  }

  async claim(): Promise<boolean> {
    return true;
  }

  async adopt(): Promise<boolean> {
    return true;
  }

  async isOwn(): Promise<boolean> {
    return true;
  }

  async release(): Promise<void> {}

  async read(state: OperationState, id: string): Promise<string | undefined> {
    if (!isIdentifier(id)) return undefined;
    const isKnown = state === 'ended' && this.known?.has(id);
    return ifDamaged(readText(this.path(state, id)), (damage) => {
      // Entries of unexpected types are ignored.
      if (!isKnown && (damage.flaw === 'missing' || damage.flaw === 'type')) return undefined;
      throw damage;
    });
  }

  async remove(state: OperationState, id: string): Promise<boolean> {
    if (!isIdentifier(id)) return false;
    if (state === 'ended') this.recent.remove(id);
    return removeFile(this.path(state, id));
  }

  async giveUp(id: string): Promise<void> {
    const ended = this.path('ended', id);
    await rename(this.path('running', id), ended);
    this.recent.add(id, lstatSync(ended).size);
  }

  async runningIds(): Promise<readonly string[]> {
    return this.idsOnDisk('running');
  }

  async ended(): Promise<readonly EndedOperation[]> {
    return this.recent.entries();
  }

  async endedRecords(ids: readonly string[]): Promise<readonly RecordSource[]> {
    return ids.map((id) => ({ path: this.path('ended', id) }));
  }

  /**
   * Ended operations. Those of an earlier server are read at the first use, so that they do not delay the start of the
   * server.
   */
  private get recent(): Recent {
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
    await forEachFile(this.recent.takeSurplus(), (id) => removeFile(this.path('ended', id)));
  }

  private path(state: OperationState, id: string): string {
    return join(this.root, state, `${id}.json`);
  }
}

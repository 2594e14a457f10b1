import type { Values } from './values.js';

/**
 * A key that only this process writes: each write must replace the previous one of this process. A value starts with
 * the identifier of its writer.
 */
export class Holding {
  readonly key: string;
  private readonly values: Values;
  private readonly owner: string;
  private revision: number;
  /** Settles when all earlier actions have finished. */
  private turn: Promise<unknown> = Promise.resolve();
  private isLost = false;

  private constructor(values: Values, key: string, owner: string, revision: number) {
    this.values = values;
    this.key = key;
    this.owner = owner;
    this.revision = revision;
  }

  /** Writes a new key; undefined if the key exists. */
  static async create(values: Values, key: string, owner: string, text: string): Promise<Holding | undefined> {
    const revision = await values.create(key, text);
    return revision === undefined ? undefined : new Holding(values, key, owner, revision);
  }

  /** Replaces a value with this revision; undefined if the revision has changed. */
  static async take(
    values: Values,
    key: string,
    owner: string,
    text: string,
    revision: number,
  ): Promise<Holding | undefined> {
    const next = await values.update(key, text, revision);
    return next === undefined ? undefined : new Holding(values, key, owner, next);
  }

  /** Writes a value; false if another process has written or removed the key. */
  write(text: string): Promise<boolean> {
    return this.inTurn(async () => {
      const next = await this.values.update(this.key, text, this.revision);
      if (next !== undefined) {
        this.revision = next;
        return true;
      }
      // The current value may be an unacknowledged write of this process.
      const entry = await this.values.entry(this.key);
      if (entry === undefined || !(await this.values.textOf(entry)).startsWith(this.owner)) return false;
      const last = await this.values.update(this.key, text, entry.revision);
      if (last !== undefined) this.revision = last;
      return last !== undefined;
    });
  }

  /** Removes the key unless another process has written it. */
  async remove(): Promise<void> {
    await this.inTurn(async () => {
      const entry = await this.values.entry(this.key);
      const isOwn = entry !== undefined && (await this.values.textOf(entry)).startsWith(this.owner);
      return isOwn && this.values.remove(this.key);
    });
    this.isLost = true;
  }

  /** Runs actions one at a time. Skips all of them once another process has the key. */
  private inTurn(action: () => Promise<boolean>): Promise<boolean> {
    const done = this.turn.then(async () => {
      if (this.isLost) return false;
      const isDone = await action();
      if (!isDone) this.isLost = true;
      return isDone;
    });
    this.turn = done.catch(() => undefined);
    return done;
  }
}

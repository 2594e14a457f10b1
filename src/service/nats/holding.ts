import type { Values } from './values.js';

/**
 * A key of which only this process writes the value: each write replaces the previous one. Values begin with
 * the name of their writer.
 */
export class Holding {
  readonly key: string;
  private readonly values: Values;
  private readonly owner: string;
  private revision: number;
  /** Ends when everything asked for before has been done. */
  private turn: Promise<unknown> = Promise.resolve();
  private isLost = false;

  private constructor(values: Values, key: string, owner: string, revision: number) {
    this.values = values;
    this.key = key;
    this.owner = owner;
    this.revision = revision;
  }

  /** Writes where nothing is; undefined when there is something. */
  static async create(values: Values, key: string, owner: string, text: string): Promise<Holding | undefined> {
    const revision = await values.create(key, text);
    return revision === undefined ? undefined : new Holding(values, key, owner, revision);
  }

  /** Replaces what has this revision; undefined when something else is there. */
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

  /** False if another process has written or removed it. */
  write(text: string): Promise<boolean> {
    return this.inTurn(async () => {
      const next = await this.values.update(this.key, text, this.revision);
      if (next !== undefined) {
        this.revision = next;
        return true;
      }
      // It may be a write of this process that was not acknowledged.
      const entry = await this.values.entry(this.key);
      if (entry === undefined || !(await this.values.textOf(entry)).startsWith(this.owner)) return false;
      const last = await this.values.update(this.key, text, entry.revision);
      if (last !== undefined) this.revision = last;
      return last !== undefined;
    });
  }

  /** Removes it, unless another process has written it. */
  async remove(): Promise<void> {
    await this.inTurn(async () => {
      const entry = await this.values.entry(this.key);
      const isOwn = entry !== undefined && (await this.values.textOf(entry)).startsWith(this.owner);
      return isOwn && this.values.remove(this.key);
    });
    this.isLost = true;
  }

  /** Runs one action after the other, and none after the key belongs to another process. */
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

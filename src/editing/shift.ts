/** Maps offsets between two versions of a text that differ by a single edit. */
import type { Stretch } from '../derive/symbols.js';

export class Shift {
  readonly #prefix: number;
  readonly #endBefore: number;
  readonly #endAfter: number;

  constructor(before: string, after: string) {
    const shorter = Math.min(before.length, after.length);
    let prefix = 0;
    while (prefix < shorter && before.charCodeAt(prefix) === after.charCodeAt(prefix)) prefix++;
    let suffix = 0;
    const most = shorter - prefix;
    while (
      suffix < most &&
      before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix)
    )
      suffix++;
    this.#prefix = prefix;
    this.#endBefore = before.length - suffix;
    this.#endAfter = after.length - suffix;
  }

  /** The offset in the earlier text; undefined inside the edit. */
  earlier(offset: number): number | undefined {
    if (offset <= this.#prefix) return offset;
    return offset >= this.#endAfter ? offset - this.#endAfter + this.#endBefore : undefined;
  }

  /** The range in the later text; undefined if it overlaps the edit. */
  later(stretch: Stretch): Stretch | undefined {
    if (stretch.to <= this.#prefix) return stretch;
    if (stretch.from < this.#endBefore) return undefined;
    const by = this.#endAfter - this.#endBefore;
    return { ...stretch, from: stretch.from + by, to: stretch.to + by };
  }

  /** The range in the later text, even if the edit is inside it; undefined if the edit overlaps an end. */
  around(stretch: Stretch): Stretch | undefined {
    const by = this.#endAfter - this.#endBefore;
    const contains = stretch.from <= this.#prefix && stretch.to >= this.#endBefore;
    return this.later(stretch) ?? (contains ? { ...stretch, to: stretch.to + by } : undefined);
  }
}

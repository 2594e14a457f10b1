import { append } from '../../collections/multimap.js';

/**
 * A queue whose items belong to shares. The next item is from the share with the fewest items that were taken and not released;
 * among equals, from the one that has waited longest. Items of a share keep their order.
 */
export class FairQueue<Item> {
  private readonly waiting = new Map<string, Item[]>();
  private readonly held = new Map<string, number>();
  private readonly maximumShare: number;
  private size = 0;

  /** `maximumShare`: maximum number of items of one share that are taken and not released. */
  constructor(maximumShare = Number.POSITIVE_INFINITY) {
    this.maximumShare = maximumShare;
  }

  get length(): number {
    return this.size;
  }

  add(share: string, item: Item): void {
    append(this.waiting, share, item);
    this.size++;
  }

  /** Removes and returns the next item; undefined if none waits, or all waiting shares are at their maximum. */
  take(): Item | undefined {
    let share: string | undefined;
    let fewest = this.maximumShare;
    for (const candidate of this.waiting.keys()) {
      const held = this.heldBy(candidate);
      if (held < fewest) [share, fewest] = [candidate, held];
    }
    if (share === undefined) return undefined;
    const items = this.waiting.get(share) ?? [];
    const item = items.shift();
    this.waiting.delete(share);
    if (items.length > 0) this.waiting.set(share, items);
    this.held.set(share, fewest + 1);
    this.size--;
    return item;
  }

  /** Removes up to `count` more items of a share while they are `wanted`. They count as one with the item that `take` returned. */
  takeAlong(share: string, count: number, wanted: (item: Item) => boolean): Item[] {
    const items = this.waiting.get(share) ?? [];
    const unwanted = items.findIndex((item, index) => index >= count || !wanted(item));
    const taken = items.splice(0, unwanted < 0 ? items.length : unwanted);
    if (items.length === 0) this.waiting.delete(share);
    this.size -= taken.length;
    return taken;
  }

  /** Returns taken items to the queue, before the others of their share. */
  putBack(share: string, items: readonly Item[]): void {
    if (items.length === 0) return;
    this.waiting.set(share, [...items, ...(this.waiting.get(share) ?? [])]);
    this.size += items.length;
  }

  /** Number of items that consecutive calls of `take` would return. */
  get takeable(): number {
    let count = 0;
    for (const [share, { length }] of this.waiting) count += Math.min(length, this.maximumShare - this.heldBy(share));
    return count;
  }

  /** Releases a taken item of this share. */
  release(share: string): void {
    const held = this.heldBy(share) - 1;
    if (held > 0) this.held.set(share, held);
    else this.held.delete(share);
  }

  /** Whether the share is below its maximum. */
  mayTake(share: string): boolean {
    return this.heldBy(share) < this.maximumShare;
  }

  heldBy(share: string): number {
    return this.held.get(share) ?? 0;
  }

  /** Removes a waiting item; false if it is not waiting. */
  remove(share: string, item: Item): boolean {
    const items = this.waiting.get(share);
    const place = items?.indexOf(item) ?? -1;
    if (items === undefined || place < 0) return false;
    items.splice(place, 1);
    if (items.length === 0) this.waiting.delete(share);
    this.size--;
    return true;
  }

  /** Waiting items, share by share. */
  *[Symbol.iterator](): Generator<Item> {
    for (const items of this.waiting.values()) yield* items;
  }
}

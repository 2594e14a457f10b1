import { append } from '../../base/multimap.js';

/** A taken item, by which it is released. */
interface Holder {
  readonly share: string;
  readonly client: string;
}

/**
 * A queue whose items belong to clients, and for each client to shares. The next item is from the client with the fewest items that
 * were taken and not released, among equals from the one that was served longest ago. Of its items, it is from the share
 * with the fewest, among equals from the one that has waited longest. Items of a share keep their order for each client.
 */
export class FairQueue<Item> {
  private readonly waiting = new Map<string, Map<string, Item[]>>();
  private readonly held = new Map<string, number>();
  private readonly heldOfClients = new Map<string, number>();
  /** The turn in which each client was served last, of clients with waiting or held items. */
  private readonly served = new Map<string, number>();
  private turn = 0;
  private readonly maximumShare: number;
  private size = 0;

  /** `maximumShare`: maximum number of items of one share that are taken and not released. */
  constructor(maximumShare = Number.POSITIVE_INFINITY) {
    this.maximumShare = maximumShare;
  }

  get length(): number {
    return this.size;
  }

  /**
   * Whether one more item of a client is within a limit. One client may use the whole limit. If the queue is full, a
   * client with less than an equal share of it may still add items, so that no client can fill the queue for others.
   */
  admits(client: string, limit: number): boolean {
    const counts = new Map(Array.from(this.waiting, ([name, shares]) => [name, lengthOf(shares)]));
    return isAdmitted(client, counts, this.size, limit);
  }

  add(share: string, item: Item, client = ''): void {
    append(this.sharesOf(client), share, item);
    this.size++;
  }

  /** Removes and returns the next item; undefined if none waits, or all waiting shares are at their maximum. */
  take(): Item | undefined {
    let next: (Holder & { readonly held: number; readonly turn: number }) | undefined;
    for (const [client, shares] of this.waiting) {
      const held = this.heldOfClients.get(client) ?? 0;
      const turn = this.served.get(client) ?? 0;
      if (next !== undefined && (held > next.held || (held === next.held && turn >= next.turn))) continue;
      const share = this.nextShare(shares);
      if (share !== undefined) next = { share, client, held, turn };
    }
    if (next === undefined) return undefined;
    const { client, share, held } = next;
    const shares = this.sharesOf(client);
    const items = shares.get(share) ?? [];
    const item = items.shift();
    shares.delete(share);
    if (items.length > 0) shares.set(share, items);
    if (shares.size === 0) this.waiting.delete(client);
    this.held.set(share, this.heldBy(share) + 1);
    this.heldOfClients.set(client, held + 1);
    this.served.set(client, ++this.turn);
    this.size--;
    return item;
  }

  private nextShare(shares: ReadonlyMap<string, Item[]>): string | undefined {
    let share: string | undefined;
    let fewest = this.maximumShare;
    for (const candidate of shares.keys()) {
      const held = this.heldBy(candidate);
      if (held < fewest) [share, fewest] = [candidate, held];
    }
    return share;
  }

  /**
   * Removes up to `count` more items of a client's share while they are `wanted`. They count as one with the item that `take`
   * returned.
   */
  takeAlong(share: string, count: number, wanted: (item: Item) => boolean, client = ''): Item[] {
    const items = this.waiting.get(client)?.get(share) ?? [];
    const unwanted = items.findIndex((item, index) => index >= count || !wanted(item));
    const taken = items.splice(0, unwanted < 0 ? items.length : unwanted);
    if (items.length === 0) this.forget(share, client);
    this.size -= taken.length;
    return taken;
  }

  /** Returns taken items to the queue, before the others of their share. */
  putBack(share: string, items: readonly Item[], client = ''): void {
    if (items.length === 0) return;
    const shares = this.sharesOf(client);
    shares.set(share, [...items, ...(shares.get(share) ?? [])]);
    this.size += items.length;
  }

  /** Number of items that consecutive calls of `take` would return. */
  get takeable(): number {
    const counts = new Map<string, number>();
    for (const shares of this.waiting.values())
      for (const [share, { length }] of shares) counts.set(share, (counts.get(share) ?? 0) + length);
    let count = 0;
    for (const [share, length] of counts) count += Math.min(length, this.maximumShare - this.heldBy(share));
    return count;
  }

  /** Releases a taken item of this share and client. */
  release(share: string, client = ''): void {
    decrement(this.held, share);
    decrement(this.heldOfClients, client);
    this.forgetIdle(client);
  }

  /** Whether the share is below its maximum. */
  mayTake(share: string): boolean {
    return this.heldBy(share) < this.maximumShare;
  }

  heldBy(share: string): number {
    return this.held.get(share) ?? 0;
  }

  /** Removes a waiting item; false if it is not waiting. */
  remove(share: string, item: Item, client = ''): boolean {
    const items = this.waiting.get(client)?.get(share);
    const place = items?.indexOf(item) ?? -1;
    if (items === undefined || place < 0) return false;
    items.splice(place, 1);
    if (items.length === 0) this.forget(share, client);
    this.size--;
    return true;
  }

  /** Waiting items, client by client and share by share. */
  *[Symbol.iterator](): Generator<Item> {
    for (const shares of this.waiting.values()) for (const items of shares.values()) yield* items;
  }

  private sharesOf(client: string): Map<string, Item[]> {
    const shares = this.waiting.get(client) ?? new Map<string, Item[]>();
    this.waiting.set(client, shares);
    return shares;
  }

  /** Removes a share without items. */
  private forget(share: string, client: string): void {
    const shares = this.waiting.get(client);
    shares?.delete(share);
    if (shares?.size === 0) this.waiting.delete(client);
    this.forgetIdle(client);
  }

  private forgetIdle(client: string): void {
    if (!this.waiting.has(client) && !this.heldOfClients.has(client)) this.served.delete(client);
  }
}

/** Multiple of a limit that all clients together may reach. */
const MOST_OVER = 2;

/**
 * Whether a client with its number of waiting items in `counts` may add one. `total` may be greater than their sum. A
 * full queue admits clients below their equal share of the limit, until it contains twice the limit.
 */
export function isAdmitted(client: string, counts: ReadonlyMap<string, number>, total: number, limit: number): boolean {
  if (total < limit) return true;
  const clients = counts.size + (counts.has(client) ? 0 : 1);
  return total < MOST_OVER * limit && (counts.get(client) ?? 0) < Math.floor(limit / clients);
}

function lengthOf(shares: ReadonlyMap<string, readonly unknown[]>): number {
  let length = 0;
  for (const items of shares.values()) length += items.length;
  return length;
}

function decrement(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** A chain, its operation, and the time of the operation's request. */
export interface OrderedChain {
  readonly key: string;
  readonly operation: string;
  /** Time of its operation's request, in milliseconds. */
  readonly attempt: number;
  readonly place: number;
}

/** `left`: the process that had taken it has stopped renewing its lease. */
export type ChainStage = 'waiting' | 'taken' | 'left' | 'ended';

/** Chains of an operation. */
interface Group {
  readonly operation: string;
  readonly attempt: number;
  /** Chains that a worker can take, by index. */
  readonly free: OrderedChain[];
  taken: number;
  /** Number of chains that have left their initial state. */
  begun: number;
}

/**
 * The order in which workers take chains: from the operation with the fewest running chains, and among these from the one requested
 * first. The time to find the next chain does not grow with the number of operations that have not started.
 */
export class ChainOrder {
  private readonly chains = new Map<string, { readonly chain: OrderedChain; readonly stage: ChainStage }>();
  private readonly groups = new Map<string, Group>();
  /** Operations without a started chain, in the order of their requests. */
  private readonly unbegun: Group[] = [];
  /** Operations with both started chains and chains that a worker can take. */
  private readonly begun = new Set<Group>();
  private readonly takenChains = new Map<string, OrderedChain>();
  private freeChains = 0;

  set(chain: OrderedChain, stage: ChainStage): void {
    if (this.chains.get(chain.key)?.stage === stage) return;
    this.delete(chain.key);
    this.chains.set(chain.key, { chain, stage });
    const group = this.groupOf(chain);
    this.unlist(group);
    if (isFree(stage)) {
      insert(group.free, chain);
      this.freeChains++;
    }
    if (stage === 'taken') {
      this.takenChains.set(chain.key, chain);
      group.taken++;
    }
    if (stage !== 'waiting') group.begun++;
    this.list(group);
  }

  delete(key: string): void {
    const known = this.chains.get(key);
    if (known === undefined) return;
    const { chain, stage } = known;
    this.chains.delete(key);
    const group = this.groupOf(chain);
    this.unlist(group);
    if (isFree(stage)) {
      remove(group.free, chain);
      this.freeChains--;
    }
    if (stage === 'taken') {
      this.takenChains.delete(key);
      group.taken--;
    }
    if (stage !== 'waiting') group.begun--;
    if (group.free.length + group.begun === 0) this.groups.delete(groupKey(chain));
    this.list(group);
  }

  /** Chains that a process has taken. */
  get taken(): Iterable<OrderedChain> {
    return this.takenChains.values();
  }

  /** Numbers of waiting and of running chains. */
  get counts(): { readonly waiting: number; readonly running: number } {
    return { waiting: this.freeChains, running: this.takenChains.size };
  }

  /** The chain to take next, excluding the given ones. */
  next(except: ReadonlySet<string>): string | undefined {
    const firstOf = ({ free }: Group) => free.find(({ key }) => !except.has(key));
    let best: { readonly group: Group; readonly chain: OrderedChain } | undefined;
    for (const group of this.begun) {
      if (best !== undefined && (group.taken - best.group.taken || compare(group, best.group)) > 0) continue;
      const chain = firstOf(group);
      if (chain !== undefined) best = { group, chain };
    }
    for (const group of this.unbegun) {
      const chain = firstOf(group);
      if (chain === undefined) continue;
      if (best === undefined || best.group.taken > 0 || compare(group, best.group) < 0) return chain.key;
      break;
    }
    return best?.chain.key;
  }

  /** Number of operations without a started chain. */
  get waiting(): number {
    return this.unbegun.length;
  }

  /** Position of an operation in the queue, from 1; undefined if one of its chains has started. */
  placeOf(operation: string, attempt: number): number | undefined {
    const place = placeIn(this.unbegun, { operation, attempt });
    const found = this.unbegun[place];
    return found?.operation === operation && found.attempt === attempt ? place + 1 : undefined;
  }

  private groupOf(chain: OrderedChain): Group {
    const key = groupKey(chain);
    const known = this.groups.get(key);
    if (known !== undefined) return known;
    const group = { operation: chain.operation, attempt: chain.attempt, free: [], taken: 0, begun: 0 };
    this.groups.set(key, group);
    return group;
  }

  private list(group: Group): void {
    if (group.free.length === 0) return;
    if (group.begun > 0) this.begun.add(group);
    else insert(this.unbegun, group);
  }

  private unlist(group: Group): void {
    if (!this.begun.delete(group) && group.free.length > 0) remove(this.unbegun, group);
  }
}

type Ordered = Pick<OrderedChain, 'operation' | 'attempt'> & { readonly place?: number };

function isFree(stage: ChainStage): boolean {
  return stage === 'waiting' || stage === 'left';
}

function groupKey({ operation, attempt }: OrderedChain): string {
  return `${operation}.${attempt}`;
}

function compare(a: Ordered, b: Ordered): number {
  const byOperation = a.operation < b.operation ? -1 : a.operation > b.operation ? 1 : 0;
  return a.attempt - b.attempt || byOperation || (a.place ?? 0) - (b.place ?? 0);
}

/** Binary search for the index of an item, or the index at which to insert it. */
function placeIn(items: readonly Ordered[], item: Ordered): number {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compare(items[middle], item) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

function insert<Item extends Ordered>(items: Item[], item: Item): void {
  items.splice(placeIn(items, item), 0, item);
}

function remove<Item extends Ordered>(items: Item[], item: Item): void {
  const place = placeIn(items, item);
  if (items[place] === item) items.splice(place, 1);
}

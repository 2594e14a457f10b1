import { setTimeout as pause } from 'node:timers/promises';
import { contentOf, hashOf, type Kind } from './kinds.js';
import type { Speaker } from './speaker.js';

/** An acknowledged operation, and how it may end. */
interface Pending {
  readonly fit: string;
  readonly kind: Kind;
  /** Whether the server has been killed since then. */
  interrupted: boolean;
}

/** The responses required from a server that keeps everything it has acknowledged, and the differences found. */
export class Expectations {
  /** The number of kills, by the moment of the kill. */
  readonly kills = new Counts();
  readonly counts = new Counts();
  /** Acknowledged objects that are missing. */
  readonly lost: string[] = [];
  /** Incomplete fits that are served, and deleted objects that reappeared. */
  readonly half: string[] = [];
  /** Fits whose bytes have changed, or whose draws differ from those of an uninterrupted run. */
  readonly different: string[] = [];
  /** Finished fits, with the hash of their contents if they have been read. */
  readonly fits = new Map<string, { readonly kind: Kind; hash?: string }>();
  readonly pending = new Map<string, Pending>();
  readonly models = new Set<string>();
  /** Names of objects whose deletion was acknowledged. */
  private readonly deleted = new Set<string>();
  /** Names of objects that were being deleted when the server was killed. */
  private readonly doubtful = new Set<string>();
  /** By seed. */
  private readonly kinds: ReadonlyMap<number, Kind>;
  /** Whether objects may be evicted. */
  private readonly evicts: boolean;

  constructor(kinds: readonly Kind[], evicts: boolean) {
    this.kinds = new Map(kinds.map((kind) => [kind.seed, kind]));
    this.evicts = evicts;
  }

  toString(): string {
    const wrong = `${this.lost.length} lost, ${this.half.length} half, ${this.different.length} different`;
    return `killed ${this.kills}; ${this.counts}; ${wrong}`;
  }

  get problems(): string[] {
    return [...this.lost, ...this.half, ...this.different];
  }

  /** Requests a deletion. Until it is acknowledged, the object counts as possibly deleted. */
  async deleting(name: string, request: () => Promise<unknown>): Promise<void> {
    const isMeant = (each: string) => each === name || each.startsWith(`${name}/`);
    for (const fit of this.fits.keys()) if (isMeant(fit)) this.fits.delete(fit);
    for (const [operation, { fit }] of this.pending) if (isMeant(fit)) this.pending.delete(operation);
    this.models.delete(name);
    this.deleted.delete(name);
    this.doubtful.add(name);
    await request();
    this.doubtful.delete(name);
    this.deleted.add(name);
    this.counts.add('deletions');
  }

  /** A type of fit, from a number in [0, 1). */
  kindAt(place: number): Kind {
    const kinds = [...this.kinds.values()];
    return kinds[Math.floor(place * kinds.length)];
  }

  /** The type of the fits of a seed. */
  kindOf(seed: number): Kind | undefined {
    return this.kinds.get(seed);
  }

  /** Whether the existence of an object is unknown. */
  private isDoubtful(name: string): boolean {
    return [...this.doubtful].some((each) => name === each || name.startsWith(`${each}/`));
  }

  /** Reads a finished fit and compares it with its expected contents. */
  async read(speaker: Speaker, name: string): Promise<void> {
    const known = this.fits.get(name);
    if (known === undefined) return;
    const { status, text } = await speaker.ask('GET', `/v1/${name}`);
    if (this.fits.get(name) !== known) return;
    if (status === 404) return this.miss(name);
    const hash = hashOf(text);
    if (status !== 200) this.lost.push(`${name}: ${status} ${text}`);
    else if (known.hash === undefined) this.compare(name, known.kind, text);
    else if (hash !== known.hash) this.different.push(`${name}: other bytes`);
    known.hash = hash;
    this.counts.add('fits read');
  }

  /** Checks the answers of the restarted server. */
  async check(speaker: Speaker): Promise<void> {
    const { models } = await speaker.demand('GET', '/v1/models');
    const found = new Set<string>(models.map(({ name }: { name: string }) => name));
    for (const name of this.models) if (!found.has(name)) this.miss(name);
    for (const name of found) {
      if (this.deleted.has(name)) this.half.push(`${name} was deleted and is there`);
      await this.checkFits(speaker, name);
    }
    const { operations } = await speaker.demand('GET', '/v1/operations');
    const known = new Map<string, boolean>(
      operations.map(({ name, done }: { name: string; done: boolean }) => [name, done]),
    );
    for (const [name, pending] of this.pending) {
      const isDone = known.get(name);
      if (isDone === undefined) this.lost.push(`${name} is not known`);
      if (isDone === false) pending.interrupted = true;
    }
    for (const name of this.fits.keys()) await this.read(speaker, name);
    this.doubtful.clear();
  }

  /** Checks the listed fits of a model. Clients may not yet have been notified that they are done. */
  private async checkFits(speaker: Speaker, model: string): Promise<void> {
    const { fits } = await speaker.demand('GET', `/v1/${model}/fits`);
    for (const { name, random_seed } of fits) {
      if (this.deleted.has(name)) this.half.push(`${name} was deleted and is there`);
      const kind = this.kindOf(random_seed);
      if (kind === undefined) this.different.push(`${name} has the seed ${random_seed}`);
      else if (!this.fits.has(name)) this.fits.set(name, { kind });
    }
  }

  /** Checks whether an operation is done and, if so, its result. */
  async poll(speaker: Speaker, name: string): Promise<void> {
    const pending = this.pending.get(name);
    if (pending === undefined) return;
    const { status, text } = await speaker.ask('GET', `/v1/${name}`);
    if (this.pending.get(name) !== pending) return;
    const operation = status === 200 ? JSON.parse(text) : undefined;
    if (operation?.done === false) return;
    this.pending.delete(name);
    if (operation?.result.name !== pending.fit) {
      this.lost.push(`${name}: ${JSON.stringify(operation?.result ?? text)}`);
      return;
    }
    if (pending.interrupted) this.counts.add('interrupted operations that ended well');
    else this.counts.add('operations that nothing interrupted');
    if (!this.fits.has(pending.fit)) this.fits.set(pending.fit, { kind: pending.kind });
    await this.read(speaker, pending.fit);
  }

  /** Waits until everything acknowledged is done. */
  async settle(speaker: Speaker): Promise<void> {
    while (this.pending.size > 0) {
      for (const name of [...this.pending.keys()]) await this.poll(speaker, name);
      await pause(50);
    }
  }

  private compare(name: string, { expected }: Kind, text: string): void {
    const found = contentOf(text);
    if (found.hash === expected.hash) return;
    const lines = `${found.lines} lines rather than ${expected.lines}`;
    if (found.lines < expected.lines) this.half.push(`${name}: ${lines}`);
    else this.different.push(`${name}: other draws; ${lines}`);
  }

  /** Records that an object is missing. */
  miss(name: string): void {
    this.fits.delete(name);
    this.models.delete(name);
    if (this.evicts) this.counts.add('evictions');
    else if (!this.isDoubtful(name)) this.lost.push(`${name} is not there`);
  }
}

/** The numbers of events. */
export class Counts {
  private readonly counts = new Map<string, number>();

  add(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  toString(): string {
    return [...this.counts].map(([what, count]) => `${count} ${what}`).join(', ');
  }
}

import { nuid } from '@nats-io/transport-node';
import pLimit from 'p-limit';
import { Holding } from './holding.js';
import type { Values } from './values.js';
import type { WatchedBucket } from './watched-bucket.js';

/** Number of renewals within the duration of a claim. */
const RENEWALS = 3;
/** Number of concurrent renewals. */
const RENEWED_AT_ONCE = 50;
/** Other processes wait for this multiple of a claim's duration, because messages take time to arrive. */
export const SLACK = 1.25;

/** Claims of this process. If it does not renew a claim in time, another process takes it over. */
export class Claims {
  private readonly bucket: WatchedBucket;
  private readonly values: Values;
  private readonly duration: number;
  private readonly onLost: (name: string) => void;
  private readonly owner = nuid.next();
  private readonly own = new Map<string, Holding | undefined>();
  private readonly timer: NodeJS.Timeout;
  private isRenewing = false;

  /** `duration`: milliseconds of a claim. `onLost` receives the name of a claim that another process has taken over. */
  constructor(bucket: WatchedBucket, values: Values, duration: number, onLost: (name: string) => void) {
    this.bucket = bucket;
    this.values = values;
    this.duration = duration;
    this.onLost = onLost;
    this.timer = setInterval(() => void this.renew(), duration / RENEWALS).unref();
  }

  /** False if any process, including this one, already holds it. */
  claim(name: string): Promise<boolean> {
    return this.claimBy(name, async () => {
      const left = await this.takeOver(name);
      if (left !== undefined) return left;
      const isFree = this.bucket.get(name) === undefined || (await this.values.entry(name)) === undefined;
      return isFree ? Holding.create(this.values, name, this.owner, this.owner) : undefined;
    });
  }

  /** Like `claim`, without checking with NATS whether a known claim still exists. */
  adopt(name: string): Promise<boolean> {
    return this.claimBy(name, async () => {
      if (this.bucket.get(name) !== undefined) return this.takeOver(name);
      return Holding.create(this.values, name, this.owner, this.owner);
    });
  }

  private async claimBy(name: string, take: () => Promise<Holding | undefined>): Promise<boolean> {
    if (this.own.has(name)) return false;
    this.own.set(name, undefined);
    let holding: Holding | undefined;
    try {
      holding = await take();
    } finally {
      if (holding === undefined) this.own.delete(name);
      else this.own.set(name, holding);
    }
    return holding !== undefined;
  }

  async release(name: string): Promise<void> {
    const holding = this.own.get(name);
    if (holding === undefined) return;
    this.own.delete(name);
    await holding.remove();
  }

  /** Whether this process holds it. Checks with NATS if it has not been renewed recently. */
  async has(name: string): Promise<boolean> {
    const holding = this.own.get(name);
    return holding !== undefined && this.renewOne(name, holding);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([...this.own.keys()].map((name) => this.release(name).catch(() => undefined)));
  }

  /** Undefined if no process holds it, or if its holder still renews it. */
  private async takeOver(name: string): Promise<Holding | undefined> {
    const known = this.bucket.get(name);
    if (known === undefined || performance.now() - known.received <= SLACK * this.duration) return undefined;
    return Holding.take(this.values, name, this.owner, this.owner, known.revision);
  }

  /** Renews claims in small batches, so that thousands of them do not block this process. */
  private async renew(): Promise<void> {
    if (this.isRenewing) return;
    this.isRenewing = true;
    await pLimit(RENEWED_AT_ONCE).map(this.own, async ([name, holding]) => {
      if (holding !== undefined && this.own.get(name) === holding)
        await this.renewOne(name, holding).catch(() => undefined);
    });
    this.isRenewing = false;
  }

  private async renewOne(name: string, holding: Holding): Promise<boolean> {
    if (await holding.write(this.owner)) return true;
    if (this.own.get(name) === holding) {
      this.own.delete(name);
      this.onLost(name);
    }
    return false;
  }
}

import { JetStreamApiError } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { asLoss, inNats } from './away.js';

/** Claims are renewed so many times before they would lapse. */
const RENEWALS = 3;

/** What this process has claimed for itself. A claim lapses when the process says nothing any more. */
export class Claims {
  private readonly kv: KV;
  private readonly own = new Set<string>();
  private readonly timer: NodeJS.Timeout;

  /** `kv` forgets what is not put again within `duration` milliseconds. */
  constructor(kv: KV, duration: number) {
    this.kv = kv;
    this.timer = setInterval(() => this.renew(), duration / RENEWALS).unref();
  }

  /** False when another process has it, or this one has claimed it already. */
  async claim(name: string): Promise<boolean> {
    if (this.own.has(name)) return false;
    try {
      await this.kv.create(name, '');
      this.own.add(name);
      return true;
    } catch (error) {
      const loss = asLoss(error);
      if (loss === error && error instanceof JetStreamApiError) return false;
      throw loss;
    }
  }

  async release(name: string): Promise<void> {
    if (this.own.delete(name)) await inNats(this.kv.purge(name));
  }

  /** Leaves to others what this process has claimed. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([...this.own].map((name) => this.release(name).catch(() => undefined)));
  }

  private renew(): void {
    for (const name of this.own) this.kv.put(name, '').catch(() => undefined);
  }
}

import type { KV } from '@nats-io/kv';
import { inNats } from './away.js';

/** A key without data. Writing it shows that NATS accepts writes, and determines the latest revision. */
export const MARKER = '_';

/** Writes markers to buckets. Requests that arrive before a write starts share it. */
export class Markers {
  private readonly buckets: Readonly<Record<string, KV>>;
  private readonly going = new Map<string, Promise<number>>();
  private readonly following = new Map<string, Promise<number>>();

  constructor(buckets: Readonly<Record<string, KV>>) {
    this.buckets = buckets;
  }

  /** Resolves to the revision of a write that starts after this call. */
  write(bucket: string): Promise<number> {
    const going = this.going.get(bucket);
    if (going === undefined) {
      const begun = inNats(this.buckets[bucket].put(MARKER, '')).finally(() => this.going.delete(bucket));
      this.going.set(bucket, begun);
      return begun;
    }
    const follow = () => {
      this.following.delete(bucket);
      return this.write(bucket);
    };
    const following = this.following.get(bucket) ?? going.then(follow, follow);
    this.following.set(bucket, following);
    return following;
  }
}

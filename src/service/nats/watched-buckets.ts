import type { Cluster } from './cluster.js';
import { WatchedBucket } from './watched-bucket.js';

/** What every process knows without asking: which things there are, and how far chains are. */
export interface WatchedBuckets {
  readonly models: WatchedBucket;
  readonly fits: WatchedBucket;
  /** Keys alone. */
  readonly operations: WatchedBucket;
  readonly makers: WatchedBucket;
  readonly chains: WatchedBucket;
}

export async function watchBuckets(cluster: Cluster): Promise<WatchedBuckets> {
  const [models, fits, operations, makers, chains] = await Promise.all([
    WatchedBucket.open(cluster, 'models'),
    WatchedBucket.open(cluster, 'fits'),
    WatchedBucket.open(cluster, 'operations', true),
    WatchedBucket.open(cluster, 'makers'),
    WatchedBucket.open(cluster, 'chains'),
  ]);
  return { models, fits, operations, makers, chains };
}

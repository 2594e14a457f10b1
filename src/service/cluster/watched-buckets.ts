import type { Cluster } from './cluster.js';
import { WatchedBucket } from './watched-bucket.js';

/** Data that every process mirrors: the existing models, fits and operations, and the states of chains. */
export interface WatchedBuckets {
  readonly models: WatchedBucket;
  readonly fits: WatchedBucket;
  /** Keys without values. */
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

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { BucketName, Cluster } from '../../src/service/cluster/cluster.js';
import { WatchedBucket } from '../../src/service/cluster/watched-bucket.js';
import { withoutNats } from '../support/nats.js';
import { instead, type JoinedCluster, joinNewCluster } from '../support/nats-cluster.js';

type Bucket = Cluster['buckets'][BucketName];
type Watch = Bucket['watch'];
type Changes = Awaited<ReturnType<Watch>>;

const KEYS = ['a', 'b', 'c', 'd', 'e'];

describe('a watched bucket', { skip: withoutNats }, () => {
  let joined: JoinedCluster;
  before(async () => {
    joined = await joinNewCluster();
    for (const bucket of ['programs', 'contents'] as const) {
      for (const key of KEYS) await joined.cluster.buckets[bucket].put(key, key);
    }
  });
  after(() => joined.close());

  /** The bucket, with `watch` in place of its method. */
  const open = (name: BucketName, watch: (bucket: Bucket, ...given: Parameters<Watch>) => Promise<Changes>) => {
    const { cluster } = joined;
    const bucket = cluster.buckets[name];
    const buckets = { ...cluster.buckets, [name]: instead(bucket, { watch: (...given) => watch(bucket, ...given) }) };
    return WatchedBucket.open({ ...cluster, buckets }, name);
  };

  it('is watched again if the first watch receives nothing', async () => {
    let watches = 0;
    const watched = await open('programs', (bucket, options) =>
      bucket.watch(watches++ === 0 ? { ...options, key: 'nobody' } : options),
    );
    assert.deepEqual([...watched.all()].map(({ key }) => key).sort(), KEYS);
    watched.close();
  });

  it('is loaded completely however long that takes, while updates arrive', async () => {
    let watches = 0;
    const watched = await open('contents', async (bucket, options) => {
      watches++;
      const changes = await bucket.watch(options);
      const slowly = async function* () {
        for await (const change of changes) {
          await pause(1500);
          yield change;
        }
      };
      return instead(changes, { [Symbol.asyncIterator]: slowly });
    });
    assert.deepEqual([...watched.all()].map(({ key }) => key).sort(), KEYS);
    assert.equal(watches, 1);
    watched.close();
  });
});

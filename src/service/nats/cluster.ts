/**
 * What servers and workers share in NATS, under a prefix so that several services may use one NATS:
 *
 *     KV <prefix>_models       <model>                         a model's resource and program, and the bytes that it takes
 *     KV <prefix>_fits         <model>.<fit>                   a finished fit's record, its chains, its bytes
 *     KV <prefix>_chains       <model>.<fit>.<chain>           the files of a chain that has been kept
 *     KV <prefix>_operations   running.<id>, ended.<id>        records of operations
 *     KV <prefix>_makers       <id>                            claimed by the process that brings this operation to its end
 *     KV <prefix>_results      <id>.<attempt>.<place>          what a chain came to, until its operation is over
 *     objects <prefix>_files   compiled code, files of chains, and values that are too large for a message
 *     stream <prefix>_jobs     <prefix>.jobs.<id>.<attempt>.<place>    chains that wait or run: a work queue
 *     subjects                 <prefix>.progress.<…>, <prefix>.removed   told once, to who listens
 */
import { readFile } from 'node:fs/promises';
import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type ObjectStore, Objm, StorageType } from '@nats-io/obj';
import { connect, credsAuthenticator, type NatsConnection, nanos } from '@nats-io/transport-node';
import type { NatsOptions } from '../pair.js';

export interface Cluster {
  readonly connection: NatsConnection;
  readonly prefix: string;
  readonly leaseTime: number;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly models: KV;
  readonly fits: KV;
  readonly chains: KV;
  readonly operations: KV;
  readonly makers: KV;
  readonly results: KV;
  readonly files: ObjectStore;
  /** Name of the stream of jobs, and that of the consumer by which all workers take them. */
  readonly jobs: { readonly stream: string; readonly consumer: string };
  close(): Promise<void>;
}

const PREFIX = /^[A-Za-z\d_-]{1,64}$/;
/** Of the time that the server gives a worker: it takes a chain away some time after the worker has given it up. */
const SLACK = 1.25;
const CONSUMER = 'workers';

/** Connects, and makes what is not there yet. Throws when there is no NATS with JetStream. */
export async function joinCluster({ servers, prefix, credentials, leaseTime }: NatsOptions): Promise<Cluster> {
  if (!PREFIX.test(prefix)) throw new Error(`the prefix ${prefix} has other characters than letters, digits, - and _`);
  const authenticator = credentials === undefined ? undefined : credsAuthenticator(await readFile(credentials));
  const connection = await connect({
    servers: [...servers],
    maxReconnectAttempts: -1,
    ...(authenticator && { authenticator }),
  });
  try {
    const manager = await jetstreamManager(connection);
    const client = jetstream(connection);
    const stores = new Kvm(client);
    // Whoever has been told that something is there must find it, whichever server he asks.
    const bucket = (name: string) => stores.create(`${prefix}_${name}`, { history: 1, allow_direct: false });
    const stream = `${prefix}_jobs`;
    await unlessThere(
      manager.streams.add({
        name: stream,
        subjects: [`${prefix}.jobs.>`],
        retention: RetentionPolicy.Workqueue,
        // A chain that is there already is refused rather than added once more.
        discard: DiscardPolicy.New,
        discard_new_per_subject: true,
        max_msgs_per_subject: 1,
      }),
    );
    await unlessThere(
      manager.consumers.add(stream, {
        durable_name: CONSUMER,
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(leaseTime * SLACK),
        max_ack_pending: -1,
      }),
    );
    return {
      connection,
      prefix,
      leaseTime,
      jetstream: client,
      manager,
      models: await bucket('models'),
      fits: await bucket('fits'),
      chains: await bucket('chains'),
      operations: await bucket('operations'),
      makers: await stores.create(`${prefix}_makers`, { history: 1, allow_direct: false, ttl: leaseTime }),
      results: await bucket('results'),
      files: await new Objm(client).create(`${prefix}_files`, { storage: StorageType.File }),
      jobs: { stream, consumer: CONSUMER },
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Error codes of JetStream: a stream or a consumer of that name is there with other settings. */
const NAMES_IN_USE: readonly number[] = [10058, 10148];

async function unlessThere(adding: Promise<unknown>): Promise<void> {
  try {
    await adding;
  } catch (error) {
    if (!(error instanceof JetStreamApiError && NAMES_IN_USE.includes(error.code))) throw error;
  }
}

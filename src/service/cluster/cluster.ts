/**
 * Data that servers and workers share in NATS, under a prefix so that several services can use one NATS:
 *
 *     KV <prefix>_models       <model>                         a model: its size, and the engines that have compiled it
 *     KV <prefix>_programs     <model>                         its resource and its program
 *     KV <prefix>_fits         <model>.<fit>                   a finished fit: its mark and size
 *     KV <prefix>_contents     <model>.<fit>.<mark>            its record, and the objects with the files of its chains
 *     KV <prefix>_kept         <model>.<fit>.<chain>           the objects of a finished chain of an unpublished fit
 *     KV <prefix>_operations   running.<id>, ended.<id>        records of operations
 *     KV <prefix>_makers       <id>                            the server that completes this operation
 *     KV <prefix>_chains       <id>.<attempt>.<place>          state of a chain: waiting, its process, or its result
 *     objects <prefix>_files   compiled code, the files of a chain or of one of its blocks, and values that are too large
 *                              for a message
 *     subjects                 <prefix>.progress.<…>, <prefix>.cancelled.<id>   sent once, to current subscribers
 *                              <prefix>.presence               answered by every process
 */
import { JetStreamApiError, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type ObjectStore, Objm, StorageType, setSha256Backend } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import { agreeOnLease } from './agreement.js';
import { asLoss, tryFor } from './away.js';
import { connectToNats } from './connection.js';
import { Markers } from './marker.js';
import type { NatsOptions } from './pair.js';

export type BucketName = 'models' | 'programs' | 'fits' | 'contents' | 'kept' | 'operations' | 'makers' | 'chains';

export interface Cluster {
  readonly connection: NatsConnection;
  readonly prefix: string;
  readonly leaseTime: number;
  readonly manager: JetStreamManager;
  readonly buckets: Readonly<Record<BucketName, KV>>;
  readonly markers: Markers;
  readonly files: ObjectStore;
  close(): Promise<void>;
}

/** The stream that stores a bucket's values. */
export function streamOf({ prefix }: Cluster, bucket: BucketName): string {
  return `KV_${prefix}_${bucket}`;
}

const PREFIX = /^[A-Za-z\d_-]{1,64}$/;
/** Default number of replicas in a cluster. With three, one server can fail without loss or delay. */
const USUAL_REPLICAS = 3;
/**
 * Milliseconds to wait for NATS servers that are starting, and between two attempts. They take up to 9 s to elect a
 * leader, which receives the capacity of each other server every 10 s.
 */
const STARTING = { time: 45_000, interval: 250 };
/** Error codes of JetStream: too few servers, or no leader, at present. */
const TOO_FEW_SERVERS: readonly number[] = [10004, 10005, 10008, 10009, 10023, 10074];

/**
 * Error code of JetStream: the subjects of a new stream overlap with those of another one. Older servers (2.9) also
 * return it while another process creates the same stream.
 */
const OVERLAP = 10065;
/** Milliseconds to wait until another process has created a stream, and between two attempts. */
const CREATION = { time: 5000, interval: 50 };

/**
 * Connects, and creates missing buckets and streams. Throws if NATS with JetStream cannot be reached. `onWait` is called
 * once if it waits for NATS servers.
 */
export async function joinCluster(options: NatsOptions, onWait?: (message: string) => void): Promise<Cluster> {
  // The client's own digests would take most of the time for a large file.
  setSha256Backend('native');
  const { prefix, leaseTime } = options;
  if (!PREFIX.test(prefix)) throw new Error(`the prefix ${prefix} may contain only letters, digits, - and _`);
  const connection = await connectToNats(options);
  let hasWaited = false;
  /** Retries an action that NATS servers may refuse while they are starting. */
  const whenStarted = <Value>(action: () => Promise<Value>): Promise<Value> => {
    const mayPass = (error: unknown): boolean => {
      const isStarting = asLoss(error) !== error || isShortage(error);
      if (isStarting && !hasWaited) onWait?.(waitingText(error));
      hasWaited ||= isStarting;
      return isStarting;
    };
    return tryFor(STARTING, mayPass, action);
  };
  try {
    const manager = await whenStarted(() => jetstreamManager(connection));
    const client = jetstream(connection);
    const replicas = options.replicas ?? (connection.info?.cluster === undefined ? 1 : USUAL_REPLICAS);
    const stores = new Kvm(client);
    const objects = new Objm(client);
    // A process that has read a reference to a value must find the value on every server.
    const settings = { history: 1, allow_direct: false, replicas };
    const open = (name: BucketName) =>
      whenCreated(() => whenStarted(() => stores.create(`${prefix}_${name}`, settings)));
    const buckets = {
      models: await open('models'),
      programs: await open('programs'),
      fits: await open('fits'),
      contents: await open('contents'),
      kept: await open('kept'),
      operations: await open('operations'),
      makers: await open('makers'),
      chains: await open('chains'),
    };
    const markers = new Markers(buckets);
    const storage = { storage: StorageType.File, replicas };
    const files = await whenCreated(() => whenStarted(() => objects.create(`${prefix}_files`, storage)));
    const streams = [...Object.keys(buckets).map((name) => `KV_${prefix}_${name}`), `OBJ_${prefix}_files`];
    if (options.replicas !== undefined) for (const stream of streams) await replicate(manager, stream, replicas);
    const agreement = { prefix, stream: `KV_${prefix}_makers`, leaseTime };
    await whenStarted(() => agreeOnLease(connection, manager, agreement));
    return { connection, prefix, leaseTime, manager, buckets, markers, files, close: () => connection.close() };
  } catch (error) {
    await connection.close();
    throw describeFailure(error);
  }
}

/** Sets the number of replicas of an existing stream. */
async function replicate(manager: JetStreamManager, stream: string, replicas: number): Promise<void> {
  const { config } = await manager.streams.info(stream);
  if (config.num_replicas !== replicas) await manager.streams.update(stream, { num_replicas: replicas });
}

/** Creates a bucket. Other processes may create it concurrently. */
function whenCreated<Value>(create: () => Promise<Value>): Promise<Value> {
  const isOverlap = (error: unknown): boolean => error instanceof JetStreamApiError && error.code === OVERLAP;
  return tryFor(CREATION, isOverlap, create);
}

function waitingText(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `NATS cannot store the shared data yet (${reason}): waiting up to ${STARTING.time / 1000} s for NATS servers`;
}

function isShortage(error: unknown): error is JetStreamApiError {
  return error instanceof JetStreamApiError && TOO_FEW_SERVERS.includes(error.code);
}

function describeFailure(error: unknown): unknown {
  if (!isShortage(error)) return error;
  const advice = 'start more NATS servers, or set --nats-replicas to the number of copies';
  return new Error(`NATS cannot store the shared data (${error.message}): ${advice}`);
}

import type { Queue } from '../queue/queue.js';
import type { Store } from '../store/store.js';

/** The NATS servers that the processes of a service share. */
export interface NatsOptions {
  /** Addresses, `host:port` or URLs. */
  readonly servers: readonly string[];
  /** Prefix of all buckets and subjects of the service. */
  readonly prefix: string;
  /** A file with credentials, if the servers require them. */
  readonly credentials: string | undefined;
  /**
   * Certificate files: of the authority that signed the servers' certificates, and of this process, with its key. They
   * make TLS mandatory.
   */
  readonly tls?: { readonly authority?: string; readonly certificate?: string; readonly key?: string };
  /** Number of servers that store each object; by default all, but at most three. */
  readonly replicas?: number;
  /** Milliseconds without renewal after which another process takes over a process's work. */
  readonly leaseTime: number;
}

/** A store and the queue that belongs to it. */
export interface Pair {
  readonly store: Store;
  readonly queue: Queue;
  /**
   * Milliseconds between two searches for operations of processes that have died; undefined without other processes.
   */
  readonly adoptionInterval: number | undefined;
  /** Call it after the queue is closed and the store is no longer used. */
  close(): Promise<void>;
}

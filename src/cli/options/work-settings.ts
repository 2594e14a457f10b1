/** Settings of all processes that run chains, with or without a server. */
import { totalmem } from 'node:os';
import { threadsAvailable } from '../../node/address-space.js';
import type { NatsOptions } from '../../service/cluster/pair.js';
import type { DiskLimits } from '../../service/operations/disk-guard.js';
import { CommandError } from '../errors.js';
import type { Values } from './settings.js';
import { integer, oneOf, seconds, text, texts } from './values.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Half of the machine's memory, or of the process's limit, in MiB. */
function halfOfMemory(): number {
  const allowed = process.constrainedMemory() ?? 0;
  const bytes = allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
  return Math.max(64, Math.floor(bytes / 2 ** 21));
}

export function workSettings() {
  return {
    cacheSize: {
      argument: '<bytes>',
      description: 'maximum disk space for models and fits; above it, the least recently used are deleted',
      initial: 10 * 2 ** 30,
      read: integer(0, Number.MAX_SAFE_INTEGER),
    },
    operationDisk: {
      argument: '<bytes>',
      description: 'maximum disk space of the files of one running operation',
      initial: undefined,
      initialText: 'that of --cache-size',
      read: integer(1, Number.MAX_SAFE_INTEGER),
    },
    diskReserve: {
      argument: '<bytes>',
      description: 'free disk space below which no operation starts and the largest one ends; at most 5 % of the disk',
      initial: 2 ** 30,
      read: integer(0, Number.MAX_SAFE_INTEGER),
    },
    workers: {
      argument: '<number>',
      description: 'number of threads that run chains; 0 only with --nats',
      initial: threadsAvailable(),
      read: integer(0, 1024),
    },
    requestTimeout: {
      argument: '<seconds>',
      description: 'time limit for compiling or evaluating',
      initial: 30,
      read: seconds,
    },
    workerMemory: {
      argument: '<mebibytes>',
      description: 'memory limit of each worker',
      initial: 2048,
      read: integer(64, 1 << 20),
    },
    memory: {
      argument: '<mebibytes>',
      description: 'memory limit for the models of all workers together',
      initial: halfOfMemory(),
      initialText: "half of the machine's",
      read: integer(64, 1 << 24),
    },
    nats: {
      argument: '<servers>',
      description:
        'comma-separated addresses of the NATS servers through which processes share models, fits and chains',
      initial: [],
      initialText: 'none',
      read: texts,
    },
    natsPrefix: {
      argument: '<prefix>',
      description: 'prefix of all NATS buckets and subjects; must differ between services',
      initial: 'leapfrog',
      read: text,
    },
    natsCredentials: {
      argument: '<file>',
      description:
        "file with credentials for NATS: a user's .creds file, the seed of an nkey, user:password, or a token",
      initial: undefined,
      initialText: 'none',
      read: text,
    },
    natsCa: {
      argument: '<file>',
      description: 'trusted CA certificates for TLS (PEM)',
      initial: undefined,
      initialText: 'those that Node trusts',
      read: text,
    },
    natsCert: {
      argument: '<file>',
      description: 'client certificate (PEM) for TLS',
      initial: undefined,
      initialText: 'none',
      read: text,
    },
    natsKey: {
      argument: '<file>',
      description: 'private key (PEM) of that certificate',
      initial: undefined,
      initialText: 'none',
      read: text,
    },
    natsReplicas: {
      argument: '<number>',
      description: 'number of NATS servers that store each value',
      initial: undefined,
      initialText: '3 in a NATS cluster, otherwise 1',
      read: integer(1, 5),
    },
    natsLease: {
      argument: '<seconds>',
      description: 'time without renewal after which other processes take over the chains of a process',
      initial: 30,
      read: seconds,
    },
    shutdownGrace: {
      argument: '<seconds>',
      description: 'time for which running operations may continue after SIGTERM; the next start runs the rest',
      initial: 5,
      read: seconds,
    },
    logLevel: {
      argument: '<level>',
      description: 'minimum severity of log messages (JSON lines)',
      choices: LOG_LEVELS,
      initial: 'warn' as const,
      read: oneOf(LOG_LEVELS),
    },
  };
}

/** Limits of the disk space of running operations. */
export function diskLimits({
  cacheSize,
  diskReserve,
  operationDisk,
}: Values<ReturnType<typeof workSettings>>): DiskLimits {
  return { operationDisk: operationDisk ?? cacheSize, diskReserve };
}

/** Connection to NATS, if any. */
export function natsOf(values: Values<ReturnType<typeof workSettings>>): NatsOptions | undefined {
  const { nats: servers, natsPrefix: prefix, natsCredentials: credentials, natsReplicas: replicas } = values;
  if (servers.length === 0) return undefined;
  const tls = tlsOf(values);
  const leaseTime = values.natsLease * 1000;
  return { servers, prefix, credentials, leaseTime, ...(replicas !== undefined && { replicas }), ...(tls && { tls }) };
}

function tlsOf({ natsCa, natsCert, natsKey }: Values<ReturnType<typeof workSettings>>): NatsOptions['tls'] {
  if ((natsCert === undefined) !== (natsKey === undefined)) {
    throw new CommandError('error: --nats-cert and --nats-key must be given together');
  }
  if (natsCa === undefined && natsCert === undefined) return undefined;
  return {
    ...(natsCa !== undefined && { authority: natsCa }),
    ...(natsCert !== undefined && { certificate: natsCert }),
    ...(natsKey !== undefined && { key: natsKey }),
  };
}

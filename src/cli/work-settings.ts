/** Settings of every process that runs chains, whether it serves or not. */
import { availableParallelism, totalmem } from 'node:os';
import type { NatsOptions } from '../service/pair.js';
import type { Values } from './settings.js';
import { integer, oneOf, seconds, text, texts } from './values.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** In MiB: of the machine's memory, or of what the process is allowed. */
function halfOfMemory(): number {
  const allowed = process.constrainedMemory() ?? 0;
  const bytes = allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
  return Math.max(64, Math.floor(bytes / 2 ** 21));
}

export function workSettings() {
  return {
    cacheSize: {
      argument: '<bytes>',
      description: 'maximum disk space for models and fits; the least recently used are deleted',
      initial: 10 * 2 ** 30,
      read: integer(0, Number.MAX_SAFE_INTEGER),
    },
    workers: {
      argument: '<number>',
      description: 'number of threads that run chains; 0 only with --nats',
      initial: availableParallelism(),
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
        'comma-separated addresses of NATS servers by which servers and workers share models, fits and chains',
      initial: [],
      initialText: 'none',
      read: texts,
    },
    natsPrefix: {
      argument: '<prefix>',
      description: 'beginning of the names of what is shared there; one for each service',
      initial: 'leapfrog',
      read: text,
    },
    natsCredentials: {
      argument: '<file>',
      description: 'file with credentials for NATS',
      initial: undefined,
      read: text,
    },
    natsLease: {
      argument: '<seconds>',
      description: 'time after which the chains of a process that no longer answers are given to another one',
      initial: 30,
      read: seconds,
    },
    shutdownGrace: {
      argument: '<seconds>',
      description: 'how long running operations may continue after SIGTERM; the next start runs the rest',
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

/** Where processes meet, if they do. */
export function natsOf(values: Values<ReturnType<typeof workSettings>>): NatsOptions | undefined {
  const { nats: servers, natsPrefix: prefix, natsCredentials: credentials, natsLease } = values;
  return servers.length === 0 ? undefined : { servers, prefix, credentials, leaseTime: natsLease * 1000 };
}

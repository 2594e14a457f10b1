/** Kills a server repeatedly while clients use it, and checks what clients find after each restart. */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ServerProcess, startServing } from '../../support/serving.js';
import { Clients } from './clients.js';
import { Expectations } from './expectations.js';
import type { Kind } from './kinds.js';
import { Gone, Speaker } from './speaker.js';

export interface TrialOptions {
  readonly store: string;
  readonly kills: number;
  readonly seed: number;
  readonly kinds: readonly Kind[];
  /** Maximum size of the store in bytes. With a limit, fits and models may be missing, but must not be incomplete. */
  readonly cacheSize?: number;
}

const CLIENTS = 3;
/** Number of kills between two progress reports. */
const REPORTED = 20;
/** Milliseconds. */
const LONGEST_LIFE = 10_000;
const STARTING_TIME = 1500;
const MOST_ANSWERS = 60;
const MOST_CHANGES = 12;
/** Folders of the store; the server is killed when they change. */
const WATCHED = ['operations/running', 'operations/ended', 'fits', 'temporary', 'models'] as const;

/** Runs the entire trial and returns its results. */
export async function runTrial(options: TrialOptions): Promise<Expectations> {
  const { store, kills, kinds, cacheSize } = options;
  const random = generator(options.seed);
  const settings = {
    LEAPFROG_WORKERS: '2',
    ...(cacheSize !== undefined && {
      LEAPFROG_CACHE_SIZE: String(cacheSize),
      // Some fits are larger than the cache, which is the limit of an operation by default.
      LEAPFROG_OPERATION_DISK: String(2 ** 30),
    }),
  };
  const expectations = new Expectations(kinds, cacheSize !== undefined);
  const clients = new Clients(expectations, random);
  await prepare(store, settings, clients);
  for (let kill = 0; kill < kills; kill++) {
    const server = startServing(store, settings);
    try {
      expectations.kills.add(await killedAtSomeMoment(server, options, { clients, expectations, random }));
    } finally {
      await server.end('SIGKILL');
    }
    if ((kill + 1) % REPORTED === 0) console.log(expectations.toString());
  }
  const last = startServing(store, settings);
  try {
    const speaker = new Speaker(await last.address);
    await expectations.check(speaker);
    await expectations.settle(speaker);
    await expectations.check(speaker);
  } finally {
    await last.end('SIGTERM');
  }
  return expectations;
}

/** Compiles a model, so that fits can start immediately after each restart of the server. */
async function prepare(store: string, settings: Record<string, string>, clients: Clients): Promise<void> {
  const server = startServing(store, settings);
  await clients.compile(new Speaker(await server.address));
  await server.end('SIGKILL');
}

interface Tools {
  readonly clients: Clients;
  readonly expectations: Expectations;
  readonly random: () => number;
}

/** Returns the moment of the kill. */
async function killedAtSomeMoment(server: ServerProcess, { store }: TrialOptions, tools: Tools): Promise<string> {
  const { clients, expectations, random } = tools;
  if (random() < 0.1) {
    await pause(random() * STARTING_TIME);
    await server.end('SIGKILL');
    return 'starting';
  }
  const speaker = new Speaker(await server.address);
  const isWatching = random() < 0.6;
  const folder = WATCHED[Math.floor(random() * WATCHED.length)] ?? 'fits';
  const moment = 1 + Math.floor(random() * (isWatching ? MOST_CHANGES : MOST_ANSWERS));
  const kill = () => void server.end('SIGKILL');
  let watcher: FSWatcher | undefined;
  try {
    await expectations.check(speaker);
    if (isWatching) watcher = watch(join(store, folder), after(moment, kill));
    const end = setTimeout(kill, LONGEST_LIFE);
    await clients.use(speaker, CLIENTS, isWatching ? () => undefined : after(moment, kill));
    clearTimeout(end);
  } catch (error) {
    if (!(error instanceof Gone)) throw error;
    throw new Error('the server died by itself', { cause: error });
  } finally {
    watcher?.close();
  }
  return isWatching ? `at a change in ${folder}` : 'at an answer';
}

/** A function that performs an action when it is called for the given time. */
function after(moment: number, action: () => void): () => void {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls === moment) action();
  };
}

/** Pseudorandom numbers in [0, 1) (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

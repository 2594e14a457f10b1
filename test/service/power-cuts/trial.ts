/** Simulates repeated power cuts of a server, and checks what clients find after each restart. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { serve, servingCommand, startCommand, startServing } from '../../support/serving.js';
import { Clients } from '../crashing/clients.js';
import { Counts, Expectations } from '../crashing/expectations.js';
import { type Kind, runUndisturbed } from '../crashing/kinds.js';
import { Speaker } from '../crashing/speaker.js';
import { generator } from '../crashing/trial.js';
import { expectAnswered, type Lasting, RecordingSpeaker } from './answers.js';
import { tracing } from './calls.js';
import { type Fate, type Tree, writeTree } from './disk.js';
import { Recording } from './recording.js';

export interface TrialOptions {
  readonly seed: number;
  /** Number of recorded servers. Each starts with what a power cut has left by the previous one. */
  readonly recordings: number;
  /** Number of requests to each of them. */
  readonly requests: number;
  /** Number of power cuts of each of them. */
  readonly cuts: number;
  /** One of this number of cuts is followed until every operation is done; the others only until the server has listed its contents. */
  readonly followed: number;
  /** Whether all fits are short ones of a single chain. */
  readonly areShort: boolean;
}

export interface Outcome {
  readonly counts: Counts;
  readonly problems: readonly string[];
}

/** Random fates of changes that were not synced. */
const FATES: Readonly<Record<string, (random: () => number) => Fate>> = {
  'nothing else': () => ({ nameArrives: () => false, pageArrives: () => 'not at all' }),
  'all names': () => ({ nameArrives: () => true, pageArrives: () => 'not at all' }),
  'all names and lengths': () => ({ nameArrives: () => true, pageArrives: () => 'zeros' }),
  everything: () => ({ nameArrives: () => true, pageArrives: () => 'whole' }),
  'some of the rest': (random) => ({
    nameArrives: () => random() < 0.5,
    pageArrives: () => (['whole', 'zeros', 'not at all'] as const)[Math.floor(3 * random())] ?? 'whole',
  }),
};

const CLIENTS = 3;
const CUTS_AT_ONCE = 2;
/** Maximum number of programs and fits of one recording. */
const MOST_NEW = 10_000;
/** Milliseconds in which every operation must finish after a cut, and milliseconds between two checks. */
const [SETTLING_TIME, POLLING_INTERVAL] = [120_000, 50];
const SETTINGS = { LEAPFROG_WORKERS: '2', LEAPFROG_SHUTDOWN_GRACE: '1', UV_USE_IO_URING: '0' };

/** A recording up to a moment, with the responses that clients had received. */
interface Chapter {
  readonly recording: Recording;
  readonly speaker: RecordingSpeaker;
  readonly until: number;
}

/** Runs the entire trial. */
export async function losePower(options: TrialOptions): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'leapfrog-power-'));
  const undisturbed = await serve();
  try {
    const speaker = new Speaker(undisturbed.address);
    const kinds = await runUndisturbed(speaker, options.areShort ? [] : undefined).finally(undisturbed.stop);
    return await new Trial(folder, kinds, options).run();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class Trial {
  private readonly folder: string;
  private readonly kinds: readonly Kind[];
  private readonly options: TrialOptions;
  private readonly random: () => number;
  private readonly counts = new Counts();
  private readonly problems: string[] = [];

  constructor(folder: string, kinds: readonly Kind[], options: TrialOptions) {
    this.folder = folder;
    this.kinds = kinds;
    this.options = options;
    this.random = generator(options.seed);
  }

  async run(): Promise<Outcome> {
    const { cuts, recordings } = this.options;
    let past: readonly Chapter[] = [];
    let tree: Tree = new Map();
    for (let number = 0; number < recordings; number++) {
      const { recording, speaker } = await this.record(number, tree, past);
      const chapters = Array.from({ length: cuts }, () => {
        const until = this.pick(this.random() < 0.5 ? this.pick(answersByKind(recording, speaker)) : recording.moments);
        return [...past, { recording, speaker, until }];
      });
      await pLimit(CUTS_AT_ONCE).map(chapters, (each, cut) =>
        this.cut(`${number}-${cut}`, each, cut % this.options.followed === 0),
      );
      past = this.pick(chapters);
      tree = recording.diskAt(past.at(-1)?.until ?? 0).remains(this.pick(Object.values(FATES))(this.random));
    }
    return { counts: this.counts, problems: this.problems };
  }

  /** Starts a server with the contents of a disk, and performs the requests of clients. */
  private async record(number: number, before: Tree, past: readonly Chapter[]) {
    const root = join(this.folder, `recorded-${number}`);
    const trace = join(this.folder, `trace-${number}`);
    await writeTree(root, before);
    const { expectations } = await this.expect(past);
    const server = startCommand([...tracing(trace), ...servingCommand(join(root, 'store'))], SETTINGS);
    try {
      const speaker = new RecordingSpeaker(await server.address, this.options.requests);
      const clients = new Clients(expectations, this.random, number * MOST_NEW);
      await clients.use(speaker, CLIENTS, () => undefined);
      await server.end('SIGTERM');
      await server.ended;
      const recording = new Recording(await readFile(trace), root, before);
      this.problems.push(...expectations.problems.map((problem) => `before any cut: ${problem}`));
      return { recording, speaker };
    } finally {
      await server.end('SIGKILL');
      await rm(trace, { force: true });
    }
  }

  /** Cuts the power at the end of the last chapter, starts a server with the remaining data, and requests everything that clients had received. */
  private async cut(name: string, chapters: readonly Chapter[], isFollowed: boolean): Promise<void> {
    const last = chapters.at(-1);
    if (last === undefined) return;
    const fate = this.pick(Object.keys(FATES));
    const root = join(this.folder, `cut-${name}`);
    const tree = last.recording.diskAt(last.until).remains(FATES[fate](this.random));
    await writeTree(root, tree);
    const store = join(root, 'store');
    const { expectations, lasting } = await this.expect(chapters);
    const server = startServing(store, SETTINGS);
    const found = [...expectations.models]
      .filter((model) => !isCompiled(tree, model))
      .map((model) => `${model} is incomplete`);
    try {
      const speaker = new Speaker(await server.address);
      await expectations.check(speaker);
      if (isFollowed) found.push(...(await this.follow(speaker, expectations)));
      found.push(...expectations.problems, ...(await this.differences(speaker, expectations, lasting)));
    } catch (error) {
      found.push(error instanceof Error ? `${error.message} ${error.cause ?? ''}` : String(error));
    } finally {
      await server.end(isFollowed ? 'SIGTERM' : 'SIGKILL');
    }
    const { output } = await server.ended;
    if (/"level":[56]0/.test(output)) found.push(output);
    if (isFollowed) found.push(...(await leftovers(store)));
    this.counts.add(`cuts after which the disk held what was synchronized and ${fate}`);
    this.problems.push(...found.map((problem) => `cut ${name} at ${last.until}, ${fate}: ${problem}`));
    await rm(root, { recursive: true, force: true });
  }

  /** Waits until every operation is done, including operations of which no client was notified. */
  private async follow(speaker: Speaker, expectations: Expectations): Promise<string[]> {
    let unfinished = [...expectations.pending.keys()];
    const settle = async () => {
      await expectations.settle(speaker);
      // The power may have failed between a request and its answer: no client knows of such operations.
      for (; ; await pause(POLLING_INTERVAL)) {
        const { operations } = await speaker.demand('GET', '/v1/operations');
        const left = operations.filter(({ done }: { done: boolean }) => !done);
        unfinished = left.map(({ name }: { name: string }) => name);
        if (unfinished.length === 0) return true;
      }
    };
    if (!(await Promise.race([settle(), pause(SETTLING_TIME, false, { ref: false })]))) {
      return [`${unfinished.join(', ')} did not end`];
    }
    await expectations.check(speaker);
    return [];
  }

  /** The expectations of clients that received all answers in these chapters. */
  private async expect(chapters: readonly Chapter[]) {
    const expectations = new Expectations(this.kinds, false);
    const lasting: Lasting = new Map();
    for (const { recording, speaker, until } of chapters) {
      const told = await expectAnswered(expectations, speaker.exchanges, recording, until);
      for (const [fit, text] of told) lasting.set(fit, text);
    }
    return { expectations, lasting };
  }

  /** Responses that must not change but have changed, and lists that omit corrupt objects. */
  private async differences(speaker: Speaker, { fits }: Expectations, lasting: Lasting): Promise<string[]> {
    const found: string[] = [];
    for (const [fit, text] of lasting) {
      if (!fits.has(fit)) continue;
      const { name } = JSON.parse(text);
      const now = await speaker.ask('GET', `/v1/${name}`);
      if (now.text !== text) found.push(`${name} is ${now.text} and was ${text}`);
      this.counts.add('operations reported as done');
    }
    const { models } = await speaker.demand('GET', '/v1/models');
    const lists = models.map(({ name }: { name: string }) => `/v1/${name}/fits`);
    for (const path of ['/v1/models', '/v1/operations', ...lists]) {
      const { damaged } = await speaker.demand('GET', path);
      if (damaged !== undefined) found.push(`${path} leaves out what is damaged: ${JSON.stringify(damaged)}`);
    }
    this.counts.add('lists of fits', lists.length);
    this.counts.add('fits', fits.size);
    return found;
  }

  private pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.random() * values.length)];
  }
}

/** The moments at which the server responded to requests of each type. */
function answersByKind(recording: Recording, speaker: RecordingSpeaker): readonly (readonly number[])[] {
  const kinds = new Map<string, number[]>();
  for (const { mark, method, path } of speaker.exchanges) {
    const moment = recording.answered.get(mark);
    const kind = `${method} ${path.replaceAll(/\/[a-z2-7]{24}\b/g, '')}`;
    if (moment !== undefined) kinds.set(kind, [...(kinds.get(kind) ?? []), moment]);
  }
  return [...kinds.values()];
}

/** Whether all files of a model are in the store of a disk: missing ones would be created again, which must not be necessary. */
function isCompiled(tree: Tree, model: string): boolean {
  let node: Uint8Array | Tree | undefined = tree;
  for (const name of ['store', ...model.split('/'), 'compiled'])
    node = node instanceof Map ? node.get(name) : undefined;
  const [engine] = node instanceof Map ? [...node.values()] : [];
  return engine instanceof Map && engine.has('artifact.json') && engine.has('module.wasm');
}

/** Files that a server should have removed before it ended. */
async function leftovers(store: string): Promise<string[]> {
  const temporary = await readdir(join(store, 'temporary'));
  const records = await Promise.all(
    ['', 'operations/running', 'operations/ended'].map((name) => readdir(join(store, name))),
  );
  const unfinished = records.flat().filter((name) => name.endsWith('.tmp'));
  return [...temporary, ...unfinished].map((name) => `${name} is left`);
}

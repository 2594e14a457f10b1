import { setTimeout as pause } from 'node:timers/promises';
import { Counts } from '../service/crashing/expectations.js';
import { contentOf, drawsOf, type Kind, programOf, requestOf } from '../service/crashing/kinds.js';
import type { Member } from './members.js';

/**
 * Milliseconds: the timeout of a request, that of its repetition at an undisturbed front end, which must answer even on
 * a busy machine, and the time for which a front end must have been undisturbed.
 */
const ANSWER_TIME = 30_000;
const LONGEST_ANSWER_TIME = 180_000;
const SETTLING_TIME = 15_000;
const MOST_PENDING = 12;
const MOST_FITS = 60;
/** Share of the fits that run in blocks of iterations. */
const SHARE_IN_BLOCKS = 1 / 3;

interface Said {
  readonly status: number;
  readonly text: string;
}

/** An acknowledged fit, pending until a client has been notified that it is done. */
interface Acknowledged {
  readonly kind: Kind;
  readonly operation: string;
  isDone: boolean;
  /** Maximum number of draws that it has reported. */
  draws: number;
}

/** Clients of a cluster whose members come and go, with checks of the answers they receive. */
export class ChaosTraffic {
  readonly counts = new Counts();
  readonly problems: string[] = [];
  private readonly frontEnds: readonly Member[];
  private readonly kinds: readonly Kind[];
  private readonly random: () => number;
  /** Possible causes of a problem. */
  private readonly circumstances: () => string;
  /** Fits by name that no client has deleted. */
  private readonly fits = new Map<string, Acknowledged>();
  private model = '';
  private next = 0;
  private isOver = false;
  /** Number of ended operations and of draws that operations have reported. */
  private progress = 0;

  constructor(frontEnds: readonly Member[], kinds: readonly Kind[], random: () => number, circumstances: () => string) {
    this.frontEnds = frontEnds;
    this.kinds = kinds;
    this.random = random;
    this.circumstances = circumstances;
  }

  /** Runs `clients` clients concurrently until `end` is called. */
  async run(clients: number): Promise<void> {
    await this.compile();
    const loops = Array.from({ length: clients }, async () => {
      while (!this.isOver) await this.act();
    });
    await Promise.all(loops);
  }

  end(): void {
    this.isOver = true;
  }

  /**
   * After all disturbances have ended: checks that everything acknowledged completes with the required results. `time`
   * is the maximum time without progress of any operation.
   */
  async settle(time: number): Promise<void> {
    let progress = 0;
    for (let end = performance.now() + time; performance.now() < end; await pause(200)) {
      const pending = [...this.fits].filter(([, { isDone }]) => !isDone);
      if (pending.length === 0) break;
      for (const [name] of pending) await this.poll(name);
      if (this.progress > progress) end = performance.now() + time;
      progress = this.progress;
    }
    for (const [name, { isDone, operation }] of this.fits) {
      if (isDone) await this.read(name, 'read at the end');
      else this.problems.push(`${operation} is stuck: ${(await this.ask('GET', `/v1/${operation}`))?.text}`);
    }
  }

  private async act(): Promise<void> {
    const pending = [...this.fits].filter(([, { isDone }]) => !isDone).map(([name]) => name);
    const done = [...this.fits].filter(([, { isDone }]) => isDone).map(([name]) => name);
    const choice = this.random();
    if (choice < 0.02) return this.compile();
    if (choice < 0.25 && pending.length < MOST_PENDING) return this.start();
    if (choice < 0.55 && pending.length > 0) return this.poll(this.pick(pending));
    if (choice < 0.58 && pending.length > 0) return this.cancel(this.pick(pending));
    if (choice < 0.64 && pending.length > 0) return this.follow(this.pick(pending));
    if (done.length > MOST_FITS || (choice < 0.68 && done.length > 0)) return this.remove(this.pick(done), 'deleted');
    if (choice < 0.85 && done.length > 0) return this.read(this.pick(done), 'read');
    if (choice < 0.9) return this.list();
    await pause(50);
  }

  private async compile(): Promise<void> {
    const said = await this.ask('POST', '/v1/models', { program_code: programOf(0) });
    if (said?.status === 201) this.model = JSON.parse(said.text).name;
    else this.expect(said, 'POST /v1/models');
    if (this.model === '') return this.compile();
  }

  private async start(): Promise<void> {
    const isInBlocks = this.random() < SHARE_IN_BLOCKS;
    const kind = this.pick(this.kinds.filter(({ expected }) => (expected.draws !== undefined) === isInBlocks));
    const said = await this.ask('POST', `/v1/${this.model}/fits`, requestOf(kind, this.next++));
    if (said?.status !== 201) return this.expect(said, 'POST fits');
    const { name, metadata } = JSON.parse(said.text);
    this.fits.set(metadata.fit.name, { kind, operation: name, isDone: false, draws: 0 });
    this.counts.add('fits acknowledged');
    if (isInBlocks) this.counts.add('of these in blocks');
  }

  private async poll(name: string): Promise<void> {
    const fit = this.fits.get(name);
    if (fit === undefined) return;
    const said = await this.ask('GET', `/v1/${fit.operation}`);
    if (this.fits.get(name) !== fit) return;
    if (said?.status !== 200) return this.expect(said, `GET ${fit.operation}`);
    const { done, metadata, result } = JSON.parse(said.text);
    const draws = (metadata.chains ?? []).reduce(
      (sum: number, chain: { draws?: number }) => sum + (chain.draws ?? 0),
      0,
    );
    // Draws count once, even if the chains have to run again.
    this.progress += Math.max(0, draws - fit.draws);
    fit.draws = Math.max(fit.draws, draws);
    if (!done || fit.isDone) return;
    fit.isDone = true;
    this.progress++;
    if (result.name !== name) {
      this.problems.push(`${fit.operation} came to ${JSON.stringify(result)}`);
      this.fits.delete(name);
      return;
    }
    this.counts.add('fits made');
    await this.read(name, 'read');
  }

  private async read(name: string, what: string): Promise<void> {
    const fit = this.fits.get(name);
    if (fit === undefined) return;
    const said = await this.ask('GET', `/v1/${name}`);
    if (this.fits.get(name) !== fit) return;
    if (said?.status !== 200) return this.expect(said, `GET ${name}`);
    this.compare(name, fit.kind, said.text, what);
  }

  /** Follows a fit until it ends; the connection may be interrupted. */
  private async follow(name: string): Promise<void> {
    const fit = this.fits.get(name);
    if (fit === undefined) return;
    const said = await this.ask('GET', `/v1/${name}?follow=true`);
    if (said === undefined || this.fits.get(name) !== fit) return;
    if (said.status !== 200) return this.expect(said, `GET ${name}?follow=true`);
    this.compareFollowed(name, fit.kind, said.text);
  }

  private async remove(name: string, what: string): Promise<void> {
    this.fits.delete(name);
    const said = await this.ask('DELETE', `/v1/${name}`);
    // The fit may have finished without an answer, or with an answer to another client.
    if (said?.status === 200 || said?.status === 404) this.counts.add(`fits ${what}`);
    else this.expect(said, `DELETE ${name}`);
  }

  private async cancel(name: string): Promise<void> {
    const fit = this.fits.get(name);
    if (fit?.kind.expected.draws === undefined) return this.remove(name, 'cancelled');
    this.fits.delete(name);
    const said = await this.ask('DELETE', `/v1/${fit.operation}`);
    if (said?.status !== 200 && said?.status !== 404) return this.expect(said, `DELETE ${fit.operation}`);
    this.counts.add('fits in blocks cancelled');
    const kept = said.status === 200 ? JSON.parse(said.text).metadata.kept : undefined;
    if (kept?.name !== undefined) await this.compareKept(kept, fit.kind.expected.draws);
  }

  /** Compares the draws that a cancelled run has kept with the first draws of an undisturbed run. */
  private async compareKept(
    { draws, name }: { readonly draws: number; readonly name: string },
    expected: NonNullable<Kind['expected']['draws']>,
  ): Promise<void> {
    const said = await this.ask('GET', `/v1/${name}`);
    if (said?.status !== 200) return this.expect(said, `GET ${name}`);
    const found = drawsOf(said.text);
    const total = [...found.values()].reduce((sum, { length }) => sum + length, 0);
    const isSame = [...found].every(([chain, lines]) =>
      lines.every((line, index) => line === expected.get(chain)?.[index]),
    );
    if (total !== draws || found.size !== expected.size || !isSame)
      this.problems.push(`${name}, kept after a cancellation, has other draws: ${total} rather than ${draws}`);
    this.counts.add('kept fits compared');
  }

  private async list(): Promise<void> {
    const before = [...this.fits].filter(([, { isDone }]) => isDone).map(([name]) => name);
    const said = await this.ask('GET', `/v1/${this.model}/fits`);
    if (said?.status !== 200) return this.expect(said, 'GET fits');
    const listed = new Set(JSON.parse(said.text).fits.map(({ name }: { name: string }) => name));
    for (const name of before)
      if (this.fits.has(name) && !listed.has(name)) this.problems.push(`${name} is not in the list`);
    this.counts.add('lists');
  }

  private compare(name: string, { expected }: Kind, text: string, what: string): void {
    const found = contentOf(text);
    this.counts.add(`fits ${what}`);
    if (found.hash !== expected.hash) {
      this.problems.push(`${name} has other draws: ${found.lines} lines rather than ${expected.lines}`);
      this.fits.delete(name);
    }
  }

  /** Concurrent chains are followed in the order of their output, so the lines of a fit with several chains are in a different order. */
  private compareFollowed(name: string, { expected, request }: Kind, text: string): void {
    const found = contentOf(text);
    this.counts.add('fits followed');
    const isSame = Number(request.num_chains ?? 1) > 1 ? found.lines === expected.lines : found.hash === expected.hash;
    if (!isSame)
      this.problems.push(`${name} differs when followed: ${found.lines} lines rather than ${expected.lines}`);
  }

  /** A response other than a result must be a clear refusal. */
  private expect(said: Said | undefined, what: string): void {
    // An error of the server has been recorded where it occurred.
    if (said === undefined || said.status === 500) return;
    if (said.status === 503 || said.status === 429) this.counts.add(`answers of ${said.status}`);
    else this.problems.push(`${what}: ${said.status} ${said.text.slice(0, 300)}`);
  }

  /** Undefined if the front end was disturbed during the request or shortly before it. */
  private async ask(
    method: string,
    path: string,
    body?: object,
    member = this.pick(this.frontEnds),
    time = ANSWER_TIME,
  ): Promise<Said | undefined> {
    const begun = performance.now();
    try {
      const answer = await fetch(`${member.address}${path}`, {
        method,
        signal: AbortSignal.timeout(time),
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status === 500) {
        const isGone = path.includes('/fits/') && !this.fits.has(path.replace('/v1/', '').replace(/\?.*/, ''));
        const removal = isGone ? ' (removed during the request)' : '';
        const time = `from ${Math.round(begun / 1000)} to ${Math.round(performance.now() / 1000)} s`;
        const what = `${method} ${path} at ${member.name}${removal} ${time}: 500 ${text}`;
        this.problems.push([what, this.circumstances(), member.faults].join('\n'));
      }
      const isRefused = answer.status === 503 || answer.status === 429;
      if (isRefused && !answer.headers.has('retry-after'))
        this.problems.push(`${method} ${path}: ${text}, and not when`);
      if (isRefused) await pause(100);
      return { status: answer.status, text };
    } catch (error) {
      if (path.endsWith('?follow=true')) this.counts.add('followed fits broken off');
      else if (begun - member.disturbed > SETTLING_TIME) {
        if (error instanceof Error && error.name === 'TimeoutError' && time < LONGEST_ANSWER_TIME) {
          this.counts.add('requests repeated because they took too long');
          return this.ask(method, path, body, member, LONGEST_ANSWER_TIME);
        }
        this.problems.push(`${method} ${path} at ${member.name}: ${error}`);
      } else this.counts.add('requests to a disturbed front end without an answer');
      await pause(100);
      return undefined;
    }
  }

  private pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.random() * values.length)];
  }
}

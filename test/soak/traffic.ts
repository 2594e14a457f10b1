import { setTimeout as sleep } from 'node:timers/promises';

const NUTS = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const DATA = { N: 10, y: [0, 1, 0, 0, 0, 0, 0, 0, 0, 1] };
const PROGRAM = `data { int<lower=0> N; array[N] int<lower=0, upper=1> y; }
parameters { real<lower=0, upper=1> theta; }
model { theta ~ beta(1, 1); y ~ bernoulli(theta); }
`;
const ENDLESS = 'parameters { real x; } model { real s = 0; while (1) { s += x; } target += s; }';
/** A program whose fits have several megabytes. */
const WIDE = 'parameters { vector[100] x; } model { x ~ normal(0, 1); }';
const CHAINS = 2;
/** Number of draws of all chains. */
const DRAWS = 1000 * CHAINS;
const MAXIMUM_PROBLEMS = 20;
/** Milliseconds in which a cancelled operation must end. */
const CANCEL_LIMIT = 5000;

export interface Count {
  count: number;
  failures: number;
  /** Milliseconds. */
  slowest: number;
}

/** The members of responses that clients read. */
interface Answer {
  readonly name: string;
  readonly done?: boolean;
  readonly result?: { readonly message?: string };
}

/** Clients that send all types of requests, each in sequence, until a given time. */
export class Traffic {
  readonly counts = new Map<string, Count>();
  readonly problems: string[] = [];
  private readonly address: string;
  private readonly end: number;
  private programs = 0;
  private turn = 0;

  /** `end` is on the clock of `performance.now`. */
  constructor(address: string, end: number) {
    this.address = address;
    this.end = end;
  }

  async run(clients: number): Promise<void> {
    await Promise.all([this.watchHealth(), ...Array.from({ length: clients }, (_, index) => this.client(index))]);
  }

  private async client(index: number): Promise<void> {
    const acts = [
      () => this.evaluate(),
      () => this.sample(),
      () => this.evaluate(),
      () => this.misbehave(),
      () => this.cancel(),
      () => this.compileAndDelete(),
      () => this.keep(index),
    ];
    for (let turn = index; performance.now() < this.end; turn++) await acts[turn % acts.length]();
  }

  private async watchHealth(): Promise<void> {
    while (performance.now() < this.end) {
      await this.send('health', 200, 'GET', '/v1/health');
      await sleep(100);
    }
  }

  private async compileAndDelete(): Promise<void> {
    const program_code = `${PROGRAM}// ${this.programs++}`;
    const model = await this.send('compile', 201, 'POST', '/v1/models', { program_code });
    await this.send('evaluate', 200, 'POST', `/v1/${model.name}/params`, { data: DATA });
    await this.send('delete', 200, 'DELETE', `/v1/${model.name}`);
  }

  private async evaluate(): Promise<void> {
    const model = await this.send('compile', 201, 'POST', '/v1/models', { program_code: PROGRAM });
    for (let k = 0; k < 50; k++) {
      const body = { data: DATA, unconstrained_parameters: [k / 50] };
      await this.send('evaluate', 200, 'POST', `/v1/${model.name}/log_prob_grad`, body);
    }
  }

  private async sample(): Promise<void> {
    const model = await this.send('compile', 201, 'POST', '/v1/models', { program_code: PROGRAM });
    const body = { function: NUTS, data: DATA, num_chains: CHAINS };
    const operation = await this.send('sample', 201, 'POST', `/v1/${model.name}/fits`, body);
    const fit = `${model.name}/fits/${operation.name.split('/').at(-1)}`;
    const turn = this.turn++;
    const followed = turn % 2 === 0 ? this.text('follow', `/v1/${fit}?follow=true`) : undefined;
    while (!(await this.hasSucceeded(operation.name))) await sleep(50);
    await this.read(fit, await followed);
    await this.send('delete', 200, 'DELETE', `/v1/${fit}`);
    await this.send('delete', 200, 'DELETE', `/v1/${operation.name}`);
  }

  /** Makes a large fit that remains until it is evicted, with one of several models that are evaluated in between. */
  private async keep(index: number): Promise<void> {
    const program_code = `${WIDE} // ${index}`;
    const model = await this.send('compile', 201, 'POST', '/v1/models', { program_code });
    const body = { function: NUTS, num_chains: CHAINS };
    const operation = await this.send('sample', 201, 'POST', `/v1/${model.name}/fits`, body);
    const fit = `${model.name}/fits/${operation.name.split('/').at(-1)}`;
    const followed = this.text('follow', `/v1/${fit}?follow=true&variables=x.1`);
    while (!(await this.hasSucceeded(operation.name))) {
      const point = { unconstrained_parameters: Array.from({ length: 100 }, () => 0) };
      await this.send('evaluate', 200, 'POST', `/v1/${model.name}/log_prob_grad`, point);
      await sleep(50);
    }
    this.require('follow', (await followed).includes('x.1'), `${fit} was not sent while it was made`);
    await this.text('csv', `/v1/${fit}?format=csv&variables=x.1`);
    await this.text('arrow', `/v1/${fit}?format=arrow`);
    await this.text('summary', `/v1/${fit}/summary`);
  }

  /** Whether an operation has ended. An error as its result counts as a failure. */
  private async hasSucceeded(operation: string): Promise<boolean> {
    const { done, result } = await this.send('poll', 200, 'GET', `/v1/${operation}`);
    this.require('sample', result?.message === undefined, `${operation} ended with "${result?.message}"`);
    return done === true;
  }

  /** Reads a fit in every format; `followed` is what was sent while it was in progress. */
  private async read(fit: string, followed: string | undefined): Promise<void> {
    const lines = await this.text('read', `/v1/${fit}`);
    this.require('read', countOf(lines, '"topic":"sample","values":{') === DRAWS, `${fit} has not all draws`);
    if (followed !== undefined) {
      const isWhole = followed.length === lines.length && countOf(followed, '\n') === countOf(lines, '\n');
      this.require('follow', isWhole, `${fit} was not sent whole while it was made`);
    }
    const some = await this.text('csv', `/v1/${fit}?format=csv&chain=1&variables=theta`);
    const rows = some.split('\n').filter((line) => /^[\d.]/.test(line)).length;
    this.require('csv', rows === DRAWS / CHAINS, `${fit} has ${rows} draws as CSV`);
    const table = await this.text('arrow', `/v1/${fit}?format=arrow`);
    this.require('arrow', table.includes('theta') && table.length > 8 * DRAWS, `${fit} is not whole as Arrow`);
    const summary = await this.text('summary', `/v1/${fit}/summary`);
    this.require('summary', summary.includes('"theta"'), `the summary of ${fit} lacks theta`);
  }

  private async cancel(): Promise<void> {
    const model = await this.send('compile', 201, 'POST', '/v1/models', { program_code: ENDLESS });
    const operation = await this.send('sample', 201, 'POST', `/v1/${model.name}/fits`, { function: NUTS });
    await sleep(200);
    const start = performance.now();
    await this.send('cancel', 200, 'DELETE', `/v1/${operation.name}`);
    const took = performance.now() - start;
    this.require('cancel', took < CANCEL_LIMIT, `cancelling took ${took.toFixed(0)} ms`);
    await this.send('delete', 200, 'DELETE', `/v1/${operation.name}`);
  }

  private async misbehave(): Promise<void> {
    await this.send('bad', 400, 'POST', '/v1/models', { program_code: 'parameters { real x }' });
    await this.send('bad', 400, 'POST', '/v1/models', '{"program_code": ');
    await this.send('bad', 404, 'GET', '/v1/models/nothing/fits/nothing');
    await this.send('bad', 404, 'POST', '/v1/models/nothing/log_prob', [0]);
    await this.send('bad', 405, 'PUT', '/v1/models', {});
  }

  /** The fields of the response. A response with an unexpected status counts as a failure. */
  private async send(kind: string, expected: number, method: string, path: string, body?: unknown): Promise<Answer> {
    const { status, text, isJson } = await this.exchange(kind, method, path, body);
    if (status === expected) return isJson ? JSON.parse(text) : { name: 'nothing' };
    this.require(kind, false, `${method} ${path} answered ${status}: ${text.slice(0, 300)}`);
    return { name: 'nothing', done: true };
  }

  /** The text of a response; if it is binary, with one character per byte. */
  private async text(kind: string, path: string): Promise<string> {
    const { status, text } = await this.exchange(kind, 'GET', path);
    this.require(kind, status === 200, `GET ${path} answered ${status}: ${text.slice(0, 300)}`);
    return text;
  }

  private async exchange(kind: string, method: string, path: string, body?: unknown) {
    const start = performance.now();
    const response = await fetch(this.address + path, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const count = this.countOf(kind);
    count.count++;
    count.slowest = Math.max(count.slowest, performance.now() - start);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, text, isJson };
  }

  /** Counts a failure unless the condition holds. */
  private require(kind: string, isRight: boolean, problem: string): void {
    if (isRight) return;
    this.countOf(kind).failures++;
    if (this.problems.length < MAXIMUM_PROBLEMS) this.problems.push(problem);
  }

  private countOf(kind: string): Count {
    const count = this.counts.get(kind) ?? { count: 0, failures: 0, slowest: 0 };
    this.counts.set(kind, count);
    return count;
  }
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

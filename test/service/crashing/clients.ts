import type { Expectations } from './expectations.js';
import { programOf, requestOf } from './kinds.js';
import { Gone, type Speaker } from './speaker.js';

const MOST_FITS = 20;
const MOST_PENDING = 12;
const MOST_MODELS = 4;

/** Performs random requests of clients until the server has been killed. */
export class Clients {
  private readonly expectations: Expectations;
  private readonly random: () => number;
  /** Counter of programs and fits, which makes all of them different. */
  private next: number;

  /** Programs and fits differ from those of clients with an earlier `first`. */
  constructor(expectations: Expectations, random: () => number, first = 0) {
    this.expectations = expectations;
    this.random = random;
    this.next = first;
  }

  /** Runs `count` clients concurrently. Resolves when the server has been killed; rejects if a client receives an invalid response. */
  async use(speaker: Speaker, count: number, answered: () => void): Promise<void> {
    const clients = Array.from({ length: count }, async () => {
      for (;;) {
        await this.act(speaker);
        answered();
      }
    });
    const ends = await Promise.allSettled(clients);
    for (const end of ends) if (end.status === 'rejected' && !(end.reason instanceof Gone)) throw end.reason;
  }

  private async act(speaker: Speaker): Promise<void> {
    const { fits, models, pending } = this.expectations;
    const fit = this.pick(fits.keys());
    const operation = this.pick(pending.keys());
    const model = this.pick(models);
    const choice = this.random();
    if (model === undefined || (choice < 0.1 && models.size < MOST_MODELS)) return this.compile(speaker);
    if (choice < 0.4 && pending.size < MOST_PENDING) return this.start(speaker, model);
    if (operation !== undefined && choice < 0.7) return this.expectations.poll(speaker, operation);
    if (operation !== undefined && choice < 0.73) return this.cancel(speaker, operation);
    if (models.size > 1 && choice < 0.75) return this.remove(speaker, model);
    if (fit === undefined) return this.compile(speaker);
    if (choice < 0.82 || fits.size > MOST_FITS) return this.remove(speaker, fit);
    if (choice < 0.92) return this.expectations.read(speaker, fit);
    await this.ask(speaker, 'GET', `/v1/${fit}/${choice < 0.96 ? 'summary' : 'diagnose'}`);
  }

  /** The requested object may be deleted during the request. */
  private async ask(speaker: Speaker, method: string, path: string): Promise<void> {
    const { status, text } = await speaker.ask(method, path);
    if (status !== 200 && status !== 404) throw new Error(`${method} ${path}: ${status} ${text}`);
  }

  async compile(speaker: Speaker): Promise<void> {
    const number = this.next++;
    const { status, text } = await speaker.ask('POST', '/v1/models', { program_code: programOf(number) });
    if (status !== 201) throw new Error(text);
    this.expectations.models.add(JSON.parse(text).name);
    this.expectations.counts.add('compilations');
  }

  private async start(speaker: Speaker, model: string): Promise<void> {
    const kind = this.expectations.kindAt(this.random());
    const { status, text } = await speaker.ask('POST', `/v1/${model}/fits`, requestOf(kind, this.next++));
    if (!this.expectations.models.has(model)) return;
    if (status === 404) return this.expectations.miss(model);
    if (status !== 201) throw new Error(text);
    const { name, metadata } = JSON.parse(text);
    this.expectations.pending.set(name, { kind, fit: metadata.fit.name, interrupted: false });
    this.expectations.counts.add('operations');
  }

  /** Deletes a fit that may not be finished yet. */
  private async cancel(speaker: Speaker, operation: string): Promise<void> {
    const pending = this.expectations.pending.get(operation);
    if (pending === undefined) return;
    await this.expectations.deleting(pending.fit, () => this.ask(speaker, 'DELETE', `/v1/${pending.fit}`));
  }

  private async remove(speaker: Speaker, name: string): Promise<void> {
    await this.expectations.deleting(name, () => this.ask(speaker, 'DELETE', `/v1/${name}`));
  }

  private pick<Value>(values: Iterable<Value>): Value | undefined {
    const all = [...values];
    return all[Math.floor(this.random() * all.length)];
  }
}

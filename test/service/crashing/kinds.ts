/** Fits of all types, which a crash interrupts, and their results without a crash. */
import { createHash } from 'node:crypto';
import { append } from '../../../src/base/multimap.js';
import type { FunctionResource } from '../../../src/service/schemas/functions.js';
import { DATA, NUTS, neededInputs, PROGRAM } from '../every-function.js';
import type { Speaker } from './speaker.js';

/** A program that is a different model for each number, with the same draws. */
export function programOf(number: number): string {
  return `// model ${number}\n${PROGRAM}`;
}

/** A request, identified by its seed, and the required contents of its fit. */
export interface Kind {
  readonly request: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly expected: Content;
}

/** The part that runs with one seed have in common: everything except the log, which contains times. */
export interface Content {
  readonly lines: number;
  readonly hash: string;
  /** The draws after warmup of each chain, for runs that keep them if they are cancelled. */
  readonly draws?: ReadonlyMap<number, readonly string[]>;
}

export function contentOf(fit: string): Content {
  const lines = fit
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"topic":"logger"') && !line.includes(' seconds ('))
    .map((line) => line.replace(/"time_in_seconds":[^,}]+/, ''));
  return { lines: lines.length, hash: hashOf(lines.join('\n')) };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A request for a separate fit: undeclared data change the fit's identity but not its draws. */
export function requestOf({ request }: Kind, tag: number): object {
  return { ...request, data: { ...DATA, tag } };
}

/** Requests for fits of several chains, which take longer. */
export const SAMPLERS: readonly object[] = [
  { function: NUTS, num_chains: 3, num_samples: 100, num_warmup: 100 },
  { function: NUTS, num_chains: 2, num_samples: 4000, num_warmup: 500, save_warmup: true },
  { function: NUTS, num_chains: 4, num_samples: 30_000, num_thin: 10 },
];

/** Requests for samplers that run in blocks of iterations, and keep their draws if they are cancelled. */
export const IN_BLOCKS: readonly object[] = [
  { num_chains: 4, num_warmup: 100, num_samples: 50, until: { ess_bulk: 1e9, max_iterations: 150 } },
  { num_chains: 3, num_warmup: 100, num_samples: 100, num_thin: 2, until: { ess_bulk: 200, max_iterations: 1000 } },
  { num_chains: 2, num_samples: 300, save_warmup: true },
].map((request) => ({ function: NUTS, ...request, on_cancel: 'keep' }));

/** The draws after warmup of each chain, as they are sent. */
export function drawsOf(fit: string): ReadonlyMap<number, readonly string[]> {
  const chains = new Map<number, string[]>();
  for (const line of fit.split('\n')) {
    if (!line.includes('"topic":"sample"')) continue;
    const { chain = 1, values } = JSON.parse(line);
    if (!Array.isArray(values)) append(chains, chain, line);
    else if (values[0] === 'Adaptation terminated') chains.delete(chain);
  }
  return chains;
}

/** Runs every request once on a server that is not killed: every function, and functions with several chains. */
export async function runUndisturbed(server: Speaker, samplers = SAMPLERS): Promise<Kind[]> {
  const model = (await server.demand('POST', '/v1/models', { program_code: programOf(0) })).name;
  const { functions }: { functions: readonly FunctionResource[] } = await server.demand('GET', '/v1/functions');
  const kinds = functions.map((row) => {
    const isSampler = row.arguments.some(({ name }) => name === 'num_chains');
    return {
      function: row.name,
      ...neededInputs(row),
      ...(isSampler && { num_samples: 300 }),
    };
  });
  return Promise.all(
    [...kinds, ...samplers].map(async (kind, index) => {
      const seed = 1000 + index;
      const request = { ...kind, random_seed: seed };
      const body = requestOf({ request, seed, expected: { lines: 0, hash: '' } }, 0);
      const started = await server.demand('POST', `/v1/${model}/fits`, body);
      const { result } = await server.finished(started.name);
      const fit = await server.ask('GET', `/v1/${result.name}`);
      if (fit.status !== 200) throw new Error(`${JSON.stringify(request)}: ${JSON.stringify(result)}`);
      const draws = 'on_cancel' in request ? { draws: drawsOf(fit.text) } : {};
      return { request, seed, expected: { ...contentOf(fit.text), ...draws } };
    }),
  );
}

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Client, Refusal } from '../support/client.js';
import { serve } from '../support/serving.js';
import { type CorpusModel, corpus, geometricMean, median } from './corpus.js';
import { Oracle } from './oracle.js';

const CHAINS = 4;
const TURNS = 3;
/** Number of fits of another program before those that are timed, because V8 compiles the server's own code while it runs. */
const WARM_UPS = 5;
const WARM_UP = 'parameters { vector[10] x; } model { x ~ std_normal(); }';

export interface FitRow {
  readonly name: string;
  /** Seconds. */
  readonly ours: number;
  readonly stan?: { readonly compile: number; readonly sample: number };
  /** Speed relative to real Stan. */
  readonly ratio?: number;
}

/**
 * Wall time from program to posterior of the models with a recorded posterior: compilation, four chains of 1000 + 1000 iterations and the
 * download, over HTTP on a warm server that has not compiled the program before. Compared with compilation, linking and four concurrent
 * chains of real Stan.
 */
export async function benchFits(folder: string, only: RegExp): Promise<FitRow[]> {
  const oracle = Oracle.find();
  const items = corpus(resolve(folder), only).filter(({ program }) =>
    existsSync(join(dirname(program), 'posterior.json')),
  );
  const server = await serve();
  try {
    const client = new Client(server.address);
    for (let k = 1; k <= WARM_UPS; k++) await timeFit(client, `${WARM_UP}\n// ${k}\n`, {}, k);
    const rows: FitRow[] = [];
    for (const item of items) {
      const row = await rowOf(client, oracle, item);
      if (row === null) continue;
      rows.push(row);
      console.log(describe(row));
    }
    console.log(summary(rows));
    return rows;
  } finally {
    await server.stop();
  }
}

async function rowOf(client: Client, oracle: Oracle | null, item: CorpusModel): Promise<FitRow | null> {
  const { name, text, data } = item;
  const parsed: object = JSON.parse(item.dataText);
  const turns: number[] = [];
  try {
    for (let turn = 0; turn < TURNS; turn++) {
      turns.push(await timeFit(client, `${text}\n// ${turn}\n`, parsed, turn + 1));
    }
  } catch (error) {
    if (error instanceof Refusal && error.kinds.includes('unsupported')) return null;
    throw error;
  }
  const ours = median(turns);
  if (oracle === null) return { name, ours };
  const { program, seconds: compile } = oracle.compile(text);
  const sample = await oracle.sample(program, data, 1, CHAINS);
  return { name, ours, stan: { compile, sample }, ratio: (compile + sample) / ours };
}

async function timeFit(client: Client, program: string, data: object, seed: number): Promise<number> {
  const start = performance.now();
  const model = await client.compile(program);
  await client.fit(model, {
    function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
    data,
    num_chains: CHAINS,
    random_seed: seed,
  });
  const seconds = (performance.now() - start) / 1000;
  await client.delete(model);
  return seconds;
}

function describe({ name, ours, stan, ratio }: FitRow): string {
  const start = `${name.padEnd(40)} ${ours.toFixed(2).padStart(7)} s`;
  if (stan === undefined || ratio === undefined) return `${start}  (Stan is not set up)`;
  const theirs = `${stan.compile.toFixed(1)} + ${stan.sample.toFixed(2)} s`;
  return `${start}  Stan ${theirs}  ${ratio.toFixed(1)}x  sampling alone ${(stan.sample / ours).toFixed(2)}x`;
}

function summary(rows: readonly FitRow[]): string {
  const compared = rows.flatMap(({ name, ratio }) => (ratio === undefined ? [] : [{ name, ratio }]));
  if (compared.length === 0)
    return `bench fits: median ${median(rows.map(({ ours }) => ours)).toFixed(2)} s, ${rows.length} models`;
  const worst = compared.reduce((low, row) => (row.ratio < low.ratio ? row : low));
  const mean = geometricMean(compared.map(({ ratio }) => ratio));
  return `bench fits: geometric mean ${mean.toFixed(2)}, worst ${worst.ratio.toFixed(2)} ${worst.name}, ${rows.length} models`;
}

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseStanData } from '../../src/formats/stan-json.js';
import { createRng } from '../../src/inference/random/random-stream.js';
import { compiler, engine, models } from '../../src/node/engine.js';
import { sampleChain } from '../../src/service/threads/chain.js';
import type { ChainJob } from '../../src/service/threads/protocol.js';
import { median } from './corpus.js';

const TURNS = 7;
const SAMPLES = 10_000;
const POINTS = 256;
const CALLS_AT_A_POINT = 64;
const MAXIMUM_MEMORY = 2 ** 30;
const FUNCTIONS = [
  'hmc_nuts_diag_e_adapt',
  'hmc_nuts_dense_e_adapt',
  'hmc_nuts_unit_e_adapt',
  'hmc_static_diag_e_adapt',
];

const REGRESSION = `data { int N; matrix[N, 10] x; array[N] int<lower=0, upper=1> y; }
parameters { vector[10] beta; }
model { beta ~ normal(0, 2.5); y ~ bernoulli_logit(x * beta); }`;

const SCHOOLS = `data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] theta; }
model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); theta ~ normal(mu, tau); y ~ normal(theta, sigma); }`;

const EIGHT = { J: 8, y: [28, 8, -3, 7, -1, 1, 18, 12], sigma: [15, 10, 16, 11, 9, 11, 10, 18] };

/** Ten parameters each. */
const MODELS = [
  { name: 'std_normal', program: 'parameters { vector[10] x; } model { x ~ std_normal(); }', data: {} },
  { name: 'eight_schools', program: SCHOOLS, data: EIGHT },
  { name: 'logistic_200', program: REGRESSION, data: regressionData(200) },
  { name: 'logistic_1000', program: REGRESSION, data: regressionData(1000) },
];

/** Nanoseconds per leapfrog step. */
export interface SamplingRow {
  readonly model: string;
  readonly function: string;
  readonly stepsPerDraw: number;
  readonly total: number;
  /** The compiled gradient alone. */
  readonly gradient: number;
  /** Drawing the standard normals of the momenta. */
  readonly normals: number;
  /** All other work of the chain: integrator, tree, uniform variates, adaptation, and calls between JavaScript and WebAssembly. */
  readonly transition: number;
  /** Computing constrained values and generated quantities, and writing the journal. */
  readonly writing: number;
  /** Share of the total outside the gradient. */
  readonly outside: number;
}

/**
 * Processor time per leapfrog step of a chain as a worker runs it, including the journal, compared with the same number of calls of the
 * same compiled gradient at points of the same posterior, in alternation.
 */
export async function benchSampling(_folder: string, only: RegExp): Promise<SamplingRow[]> {
  const rows: SamplingRow[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-sampling-'));
  try {
    for (const model of MODELS) {
      for (const name of FUNCTIONS) {
        if (!only.test(`${model.name} ${name}`)) continue;
        const row = await measure(model, name, folder);
        rows.push(row);
        console.log(describe(row));
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return rows;
}

type BenchModel = (typeof MODELS)[number];

/** Nanoseconds per step. */
type Turn = Record<'total' | 'gradient' | 'unwritten' | 'normals', number>;

async function measure({ name, program, data }: BenchModel, algorithm: string, folder: string): Promise<SamplingRow> {
  const compiled = compiler.compile({ program, includes: {} });
  if (!compiled.compiled) throw new Error(compiled.text);
  const { artifact } = compiled;
  const module = new WebAssembly.Module(new Uint8Array(compiled.wasm));
  const text = JSON.stringify(data);

  const run = async (thin: number) => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    let steps = 0;
    const job: ChainJob = {
      kind: 'chain',
      model: { id: name, artifact, module },
      inputs: {},
      data: text,
      algorithm: `stan::services::sample::${algorithm}`,
      arguments: { chain: 1, num_samples: SAMPLES, num_thin: thin },
      seed: 1,
      chain: 1,
      index: 0,
      tagged: true,
      folder,
      durably: false,
    };
    const seconds = await processorSeconds(async () => {
      const result = await sampleChain(engine, job, { maximumMemory: MAXIMUM_MEMORY }, ({ gradients }) => {
        steps = gradients;
      });
      if (result.kind !== 'finished') throw new Error(JSON.stringify(result));
    });
    return { steps, seconds };
  };

  const options = { seed: 1, print: () => {}, maximumMemory: MAXIMUM_MEMORY };
  const model = models.instantiate({ artifact, module }, parseStanData(text), options);
  const resident = model.resident?.({ propto: true, jacobian: true });
  if (resident === undefined) throw new Error(`${name} has no own gradient`);
  const points = pointsOf(model.dimension);
  const gradients = (count: number) =>
    processorSeconds(() => {
      for (let done = 0, point = 0; done < count; done += CALLS_AT_A_POINT, point++) {
        new Float64Array(resident.memory.buffer, resident.position, model.dimension).set(points[point % POINTS]);
        for (let k = 0; k < CALLS_AT_A_POINT; k++) resident.evaluate(resident.flags);
      }
    });
  const rng = createRng(1, 1);
  const normals = (count: number) =>
    processorSeconds(() => {
      for (let k = 0; k < count; k++) rng.normal();
    });

  const { steps } = await run(1);
  const nanoseconds = (seconds: number) => (1e9 * seconds) / steps;
  const transitions = SAMPLES + 1000;
  const turns: Turn[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    turns.push({
      total: nanoseconds((await run(1)).seconds),
      gradient: nanoseconds(await gradients(steps)),
      unwritten: nanoseconds((await run(SAMPLES)).seconds),
      normals: nanoseconds(await normals(model.dimension * transitions)),
    });
  }
  const of = (part: keyof Turn) => median(turns.map((turn) => turn[part]));
  return {
    model: name,
    function: algorithm,
    stepsPerDraw: steps / transitions,
    total: of('total'),
    gradient: of('gradient'),
    normals: of('normals'),
    transition: of('unwritten') - of('gradient') - of('normals'),
    writing: of('total') - of('unwritten'),
    outside: median(turns.map(({ total, gradient }) => 1 - gradient / total)),
  };
}

/** Points with about the scale of posteriors of standardized parameters. */
function pointsOf(dimension: number): readonly Float64Array[] {
  const rng = createRng(2, 1);
  return Array.from({ length: POINTS }, () => Float64Array.from({ length: dimension }, () => rng.normal()));
}

async function processorSeconds(action: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function regressionData(rows: number) {
  const rng = createRng(3, 1);
  const x = Array.from({ length: rows }, () => Array.from({ length: 10 }, () => rng.normal()));
  const y = x.map((row) => (rng.uniform() < 1 / (1 + Math.exp(-row[0] + row[1])) ? 1 : 0));
  return { N: rows, x, y };
}

function describe(row: SamplingRow): string {
  const number = (value: number) => value.toFixed(0).padStart(6);
  const parts = `gradient ${number(row.gradient)}  normals ${number(row.normals)}  transition ${number(row.transition)}  writing ${number(row.writing)}`;
  const title = `${row.model.padEnd(14)} ${row.function.padEnd(24)} ${row.stepsPerDraw.toFixed(1).padStart(6)} steps`;
  return `${title}  ${number(row.total)} ns: ${parts}  outside ${(100 * row.outside).toFixed(1)} %`;
}

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readArguments } from '../../src/inference/algorithms/arguments.js';
import { findAlgorithm } from '../../src/inference/algorithms/registry.js';
import { essBulk } from '../../src/inference/diagnostics/effective-sample-size.js';
import { createRng } from '../../src/inference/random/random-stream.js';
import { noInitialValues } from '../../src/inference/target.js';
import { RecordingSink } from '../../src/inference/testing/recording-sink.js';
import { parseStanData } from '../../src/model/json.js';
import { engine } from '../../src/service/jobs/leapfrog.js';
import { ModelTarget } from '../../src/service/jobs/target.js';
import { type CorpusModel, corpus, geometricMean } from './corpus.js';

const CHAINS = 4;
const SEEDS = [1, 2];
/** Columns of a diagnostic: number of leapfrog steps, and where the unconstrained parameters begin. */
const LEAPFROG_STEPS = 4;
const POSITION = 7;

export interface MetricRow {
  readonly name: string;
  /** Gradients, warmup included, for each effective draw of the parameter with the fewest. */
  readonly variance: number;
  readonly fisher: number;
}

/**
 * What learning the diagonal metric from gradients as well is worth: gradients per effective draw of the worst
 * unconstrained parameter, four chains with default settings, of the models that have a recorded posterior.
 */
export function benchMetrics(folder: string, only: RegExp): MetricRow[] {
  const items = corpus(resolve(folder), only).filter(({ program }) =>
    existsSync(join(dirname(program), 'posterior.json')),
  );
  const rows: MetricRow[] = [];
  for (const item of items) {
    const row = {
      name: item.name,
      variance: gradientsPerDraw(item, 'variance'),
      fisher: gradientsPerDraw(item, 'fisher'),
    };
    if (!Number.isFinite(row.variance + row.fisher)) continue;
    rows.push(row);
    const ratio = row.variance / row.fisher;
    console.log(`${row.name.padEnd(40)} ${row.variance.toFixed(2)} ${row.fisher.toFixed(2)}  ${ratio.toFixed(2)}x`);
  }
  const better = rows.filter(({ fisher, variance }) => fisher < variance).length;
  const mean = geometricMean(rows.map(({ fisher, variance }) => variance / fisher));
  console.log(`bench metrics: geometric mean ${mean.toFixed(2)}, better on ${better} of ${rows.length} models`);
  return rows;
}

function gradientsPerDraw(item: CorpusModel, metric: 'variance' | 'fisher'): number {
  const compiled = engine.compile({ program: item.text, includes: {} });
  if (!compiled.compiled) return Number.NaN;
  const module = new WebAssembly.Module(compiled.wasm);
  const algorithm = findAlgorithm('hmc_nuts_diag_e_adapt');
  const read = algorithm && readArguments(algorithm.arguments, { adapt_metric: metric, save_warmup: true, refresh: 0 });
  if (algorithm === undefined || read === undefined || 'problems' in read) throw new Error('no such sampler');
  const perSeed = SEEDS.map((seed) => {
    const chains = Array.from({ length: CHAINS }, (_, index) => {
      const chain = index + 1;
      const options = { seed, print: () => {}, maximumMemory: 2 ** 30 };
      const model = engine.instantiate(compiled.artifact, module, parseStanData(item.dataText), options);
      const sink = new RecordingSink();
      algorithm.run(read.settings, {
        target: new ModelTarget(engine, model, [], seed, chain),
        initial: noInitialValues,
        rng: createRng(seed, chain),
        stream: (offset) => createRng(seed, chain + offset),
        sink,
        interrupt: () => false,
        clock: () => 0,
      });
      return sink.diagnostics;
    });
    const gradients = chains.flat().reduce((sum, diagnostic) => sum + diagnostic[LEAPFROG_STEPS], 0);
    const dimension = (chains[0][0].length - POSITION) / 3;
    const sizes = Array.from({ length: dimension }, (_, i) =>
      essBulk(chains.map((chain) => Float64Array.from(chain.slice(chain.length / 2), (each) => each[POSITION + i]))),
    );
    return gradients / Math.min(...sizes);
  });
  return geometricMean(perSeed);
}

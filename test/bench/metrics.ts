import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { essBulk } from '../../src/inference/diagnostics/effective-sample-size.js';
import { compileForChains, runChain } from '../support/chain.js';
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
  if (rows.length === 0) return rows;
  const better = rows.filter(({ fisher, variance }) => fisher < variance).length;
  const mean = geometricMean(rows.map(({ fisher, variance }) => variance / fisher));
  console.log(`bench metrics: geometric mean ${mean.toFixed(2)}, better on ${better} of ${rows.length} models`);
  return rows;
}

function gradientsPerDraw(item: CorpusModel, metric: 'variance' | 'fisher'): number {
  const program = compileForChains(item.text);
  if (program === undefined) return Number.NaN;
  const given = { adapt_metric: metric, save_warmup: true, refresh: 0 };
  const perSeed = SEEDS.map((seed) => {
    const chains = Array.from({ length: CHAINS }, (_, index) => {
      const model = program.instantiate(item.dataText, seed);
      return runChain('hmc_nuts_diag_e_adapt', given, model, seed, index + 1).diagnostics;
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

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { essBulk } from '../../src/inference/diagnostics/effective-sample-size.js';
import { compileForChains, runChain } from '../support/chain.js';
import { type CorpusModel, corpus, geometricMean } from './corpus.js';

const CHAINS = 4;
const SEEDS = [1, 2];
/** Columns of a diagnostic: the number of leapfrog steps, and the first unconstrained parameter. */
const LEAPFROG_STEPS = 4;
const POSITION = 7;

export interface MetricRow {
  readonly name: string;
  /** Gradients, including warmup, per effective draw of the parameter with the fewest effective draws. */
  readonly variance: number;
  readonly fisher: number;
  readonly lowRank: number;
}

/**
 * The benefit of also learning the metric, diagonal or low-rank, from gradients: gradients per effective draw of the worst unconstrained
 * parameter, for four chains with default settings, on the models with a recorded posterior.
 */
export function benchMetrics(folder: string, only: RegExp): MetricRow[] {
  const items = corpus(resolve(folder), only).filter(({ program }) =>
    existsSync(join(dirname(program), 'posterior.json')),
  );
  const rows: MetricRow[] = [];
  for (const item of items) {
    const row = {
      name: item.name,
      variance: gradientsPerDraw(item, 'hmc_nuts_diag_e_adapt', { adapt_metric: 'variance' }),
      fisher: gradientsPerDraw(item, 'hmc_nuts_diag_e_adapt', { adapt_metric: 'fisher' }),
      lowRank: gradientsPerDraw(item, 'hmc_nuts_low_rank_adapt', {}),
    };
    if (!Number.isFinite(row.variance + row.fisher + row.lowRank)) continue;
    rows.push(row);
    const { fisher, lowRank, variance } = row;
    const figures = [variance, fisher, lowRank].map((figure) => figure.toFixed(2).padStart(9)).join(' ');
    const ratios = [variance / fisher, variance / lowRank].map((ratio) => `${ratio.toFixed(2)}x`.padStart(8)).join(' ');
    console.log(`${row.name.padEnd(40)} ${figures} ${ratios}`);
  }
  if (rows.length === 0) return rows;
  for (const name of ['fisher', 'lowRank'] as const) {
    const better = rows.filter((row) => row[name] < row.variance).length;
    const mean = geometricMean(rows.map((row) => row.variance / row[name]));
    console.log(
      `bench metrics: ${name}: geometric mean ${mean.toFixed(2)}, better on ${better} of ${rows.length} models`,
    );
  }
  return rows;
}

function gradientsPerDraw(item: CorpusModel, algorithm: string, chosen: Readonly<Record<string, unknown>>): number {
  const program = compileForChains(item.text);
  if (program === undefined) return Number.NaN;
  const given = { ...chosen, save_warmup: true, refresh: 0 };
  const perSeed = SEEDS.map((seed) => {
    const chains = Array.from({ length: CHAINS }, (_, index) => {
      const model = program.instantiate(item.dataText, seed);
      return runChain(algorithm, given, model, seed, index + 1).diagnostics;
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

import { resolve } from 'node:path';
import { essBulk } from '../../src/inference/diagnostics/effective-sample-size.js';
import { compileForChains, runChain } from '../support/chain.js';
import { type CorpusModel, corpus, geometricMean } from './corpus.js';

const CHAINS = 4;
const SEEDS = [1, 2, 3, 4];
const WARMUP = 1000;
const SAMPLER = 'hmc_nuts_diag_e_adapt';
/** Columns of a draw. */
const [LEAPFROG_STEPS, DIVERGENT, VALUES] = [4, 5, 7];
const PARAMETERS = { transformedParameters: false, generatedQuantities: false };

interface Figures {
  /** Gradients, including warmup, per effective draw of the parameter with the fewest effective draws: geometric mean over seeds. */
  readonly gradients: number;
  /** After warmup, over all seeds. */
  readonly divergences: number;
}

export interface CoordinatesRow {
  readonly name: string;
  readonly written: Figures;
  readonly learned: Figures;
}

/** The benefit of learning partially centered coordinates: NUTS with default settings, for models that have such coordinates. */
export function benchCoordinates(folder: string, only: RegExp): CoordinatesRow[] {
  const rows = corpus(resolve(folder), only).flatMap((item): CoordinatesRow[] => {
    const learned = figuresOf(item, true);
    const written = learned && figuresOf(item, false);
    if (learned === undefined || written === undefined) return [];
    const shown = [written, learned].map(
      ({ divergences, gradients }) => `${gradients.toFixed(1).padStart(8)} ${String(divergences).padStart(5)}`,
    );
    console.log(`${item.name.padEnd(50)} ${shown.join('  ')}  ${(written.gradients / learned.gradients).toFixed(2)}x`);
    return [{ name: item.name, written, learned }];
  });
  if (rows.length > 0) {
    const ratio = geometricMean(rows.map(({ learned, written }) => written.gradients / learned.gradients));
    console.log(`bench coordinates: geometric mean ${ratio.toFixed(2)} on ${rows.length} models`);
  }
  return rows;
}

/** Undefined if the program does not compile or has no coordinates to learn. */
function figuresOf(item: CorpusModel, reparameterizes: boolean): Figures | undefined {
  const program = compileForChains(item.text, { reparameterizes });
  if (program === undefined) return undefined;
  const given = { reparameterize: reparameterizes ? 'auto' : 'none', save_warmup: true, refresh: 0 };
  let divergences = 0;
  const gradients: number[] = [];
  for (const seed of SEEDS) {
    const model = program.instantiate(item.dataText, seed);
    if (reparameterizes && model.centering?.names.length === 0) return undefined;
    const chains = Array.from({ length: CHAINS }, (_, index) => {
      const own = program.instantiate(item.dataText, seed);
      return runChain(SAMPLER, given, own, seed, index + 1).draws;
    });
    const sampled = chains.map((draws) => draws.slice(WARMUP));
    divergences += sampled.flat().reduce((sum, draw) => sum + draw[DIVERGENT], 0);
    const sizes = model
      .constrainedNames(PARAMETERS)
      .map((_, k) => essBulk(sampled.map((draws) => Float64Array.from(draws, (draw) => draw[VALUES + k]))))
      .filter(Number.isFinite);
    gradients.push(chains.flat().reduce((sum, draw) => sum + draw[LEAPFROG_STEPS], 0) / Math.min(...sizes));
  }
  return { gradients: geometricMean(gradients), divergences };
}

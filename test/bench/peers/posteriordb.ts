import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { pool } from '../../../src/inference/diagnostics/chains.js';
import { mean, standardDeviation } from '../../../src/inference/diagnostics/moments.js';
import { mcseMean, mcseSd } from '../../../src/inference/diagnostics/monte-carlo-error.js';
import { readJson } from '../../conformance/engine.js';
import type { Posterior as ReferencePosterior } from '../../posterior/compare.js';
import { ROOT } from '../../project/tree.js';

interface Posterior {
  readonly name: string;
  readonly model_name: string;
  readonly data_name: string;
  readonly reference_posterior_name: string | null;
}

/**
 * Writes each posterior of a checkout of posteriordb (https://github.com/stan-dev/posteriordb) into its own folder, with `model.stan`,
 * `data.json` and, if it has reference draws, their moments in `posterior.json`; returns the folder that contains them. Posteriors whose
 * data are missing from the checkout are omitted.
 */
export function unpackPosteriordb(checkout: string): string {
  const from = join(checkout, 'posterior_database');
  const to = join(ROOT, 'build', 'posteriordb');
  for (const file of readdirSync(join(from, 'posteriors')).filter((name) => name.endsWith('.json'))) {
    const { name, model_name, data_name, reference_posterior_name } = readJson<Posterior>(
      join(from, 'posteriors', file),
    );
    const data = contentOf(join(from, 'data/data', `${data_name}.json.zip`));
    if (data === null) continue;
    mkdirSync(join(to, name), { recursive: true });
    writeFileSync(join(to, name, 'model.stan'), readFileSync(join(from, 'models/stan', `${model_name}.stan`)));
    writeFileSync(join(to, name, 'data.json'), data);
    const draws = contentOf(join(from, 'reference_posteriors/draws/draws', `${reference_posterior_name}.json.zip`));
    if (draws !== null) writeFileSync(join(to, name, 'posterior.json'), JSON.stringify(momentsOf(JSON.parse(draws))));
  }
  return to;
}

/** Moments of the chains of reference draws, by name. */
function momentsOf(chains: readonly Readonly<Record<string, readonly number[]>>[]): ReferencePosterior {
  const names = Object.keys(chains[0]);
  const quantities = names.map((name) => chains.map((chain) => Float64Array.from(chain[name])));
  return {
    names: names.map((name) => name.replace('[', '.').replaceAll(',', '.').replace(']', '')),
    mean: quantities.map((draws) => mean(pool(draws))),
    sd: quantities.map((draws) => standardDeviation(pool(draws))),
    mcse_mean: quantities.map(mcseMean),
    mcse_sd: quantities.map(mcseSd),
  };
}

function contentOf(zip: string): string | null {
  try {
    const [content] = Object.values(unzipSync(readFileSync(zip)));
    return content === undefined ? null : strFromU8(content);
  } catch {
    return null;
  }
}

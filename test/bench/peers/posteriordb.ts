import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NamedDraws } from '../../../src/fits/statistics.js';
import { summarize } from '../../../src/inference/diagnostics/summary.js';
import { UnreadableFile } from '../../../src/node/input-files.js';
import { PosteriorDatabase } from '../../../src/node/posteriordb.js';
import type { Posterior } from '../../posterior/compare.js';
import { ROOT } from '../../project/tree.js';

/**
 * Writes each posterior of a checkout of posteriordb (https://github.com/stan-dev/posteriordb) into its own folder, with `model.stan`,
 * `data.json` and, if it has reference draws, their moments in `posterior.json`; returns the folder that contains them. Posteriors whose
 * data are missing from the checkout are omitted.
 */
export function unpackPosteriordb(checkout: string): string {
  const database = new PosteriorDatabase(checkout);
  const to = join(ROOT, 'build', 'posteriordb');
  for (const name of database.names()) {
    const posterior = database.posterior(name);
    const data = readable(() => database.data(posterior));
    if (data === undefined) continue;
    mkdirSync(join(to, name), { recursive: true });
    copyFileSync(database.program(posterior), join(to, name, 'model.stan'));
    writeFileSync(join(to, name, 'data.json'), data);
    const draws = readable(() => database.referenceDraws(posterior));
    if (draws !== undefined) writeFileSync(join(to, name, 'posterior.json'), JSON.stringify(momentsOf(draws)));
  }
  return to;
}

function momentsOf(draws: readonly NamedDraws[]): Posterior {
  const summaries = draws.map(({ chains }) => summarize(chains));
  return {
    names: draws.map(({ name }) => name.replace('[', '.').replaceAll(',', '.').replace(']', '')),
    mean: summaries.map(({ mean }) => mean),
    sd: summaries.map(({ sd }) => sd),
    mcse_mean: summaries.map(({ mcseMean }) => mcseMean),
    mcse_sd: summaries.map(({ mcseSd }) => mcseSd),
  };
}

/** Undefined if a file is missing from the checkout. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableFile) return undefined;
    throw error;
  }
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readJson } from '../../conformance/engine.js';
import type { Posterior } from '../../posterior/compare.js';
import { type CorpusModel, corpus } from '../corpus.js';
import { unpackPosteriordb } from '../peers/posteriordb.js';
import { unpackUntouched } from '../untouched/posteriors.js';
import { updatePage } from './docs.js';
import { measure, type Run } from './measure.js';
import { type Plotted, plotOf } from './plot.js';
import type { NamedSampler } from './samplers.js';
import { sections } from './table.js';
import { warmRuns } from './warm.js';

export interface EfficiencyOptions {
  readonly only: RegExp;
  readonly samplers: readonly NamedSampler[];
  /** Runs the posteriors of `test/bench/untouched`, whose repositories have been cloned into the folder. */
  readonly isUntouched: boolean;
  readonly seeds: readonly number[];
  /** Runs are written to this file. Runs that it contains, including failed ones, are not repeated. */
  readonly json?: string;
  /** Nothing is run; the file's runs are shown. */
  readonly onlyShows: boolean;
  /** A page whose sections with this label are updated. */
  readonly page?: { readonly file: string; readonly label: string };
  /** A plot is written to this file. */
  readonly plot?: { readonly file: string; readonly of: Plotted };
}

/**
 * Gradients and processor seconds to 400 effective draws of the quantity with the fewest effective draws, by sampler, for the posteriors of
 * a checkout of posteriordb that have reference draws or for the models of a folder. Prints the tables in Markdown. Each sampler runs in a
 * separate process.
 */
export function benchEfficiency(folder: string, options: EfficiencyOptions): Run[] {
  const isCheckout = existsSync(join(folder, 'posterior_database'));
  const items = options.onlyShows ? [] : itemsOf(folder, isCheckout, options);
  const file = options.json;
  const runs: Run[] = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  const save = (added: readonly Run[]): void => {
    runs.push(...added);
    if (file !== undefined) writeFileSync(file, JSON.stringify(runs, null, 1));
  };
  for (const item of items) {
    if (options.isUntouched) {
      const known = runs.filter(({ posterior }) => posterior === item.name);
      save(warmRuns(item, options.samplers, options.seeds, known));
      continue;
    }
    const path = join(dirname(item.program), 'posterior.json');
    const reference = existsSync(path) ? readJson<Posterior>(path) : undefined;
    if (isCheckout && reference === undefined) continue;
    for (const sampler of options.samplers) {
      for (const seed of options.seeds) {
        const isKnown = runs.some(
          (each) => each.posterior === item.name && each.sampler === sampler.name && each.seed === seed,
        );
        if (isKnown) continue;
        save([measure(item, sampler, seed, reference)]);
      }
    }
  }
  const names = new Set(options.samplers.map(({ name }) => name));
  const shown = runs.filter(
    ({ posterior, sampler, seed }) =>
      options.seeds.includes(seed) && names.has(sampler) && options.only.test(posterior),
  );
  const tables = sections(shown, options.samplers);
  for (const { lines, title } of tables) console.log(`${title}:\n\n${lines.join('\n')}\n`);
  if (options.page !== undefined) updatePage(options.page.file, options.page.label, tables);
  if (options.plot !== undefined) {
    writeFileSync(options.plot.file, plotOf(shown, options.samplers, options.plot.of));
  }
  return runs;
}

function itemsOf(folder: string, isCheckout: boolean, { isUntouched, only }: EfficiencyOptions): CorpusModel[] {
  if (isUntouched) return corpus(unpackUntouched(resolve(folder), only), only);
  return corpus(isCheckout ? unpackPosteriordb(folder) : resolve(folder), only);
}

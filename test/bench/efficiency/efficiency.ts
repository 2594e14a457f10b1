import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readJson } from '../../conformance/engine.js';
import type { Posterior } from '../../posterior/compare.js';
import { corpus } from '../corpus.js';
import { unpackPosteriordb } from '../peers/posteriordb.js';
import { type Measurement, measure } from './measure.js';
import { plotOf } from './plot.js';
import type { NamedSampler } from './samplers.js';
import { table } from './table.js';

export interface EfficiencyOptions {
  readonly only: RegExp;
  readonly samplers: readonly NamedSampler[];
  readonly seeds: readonly number[];
  /** Measurements are written to this file, and those that it has are not made again. */
  readonly json?: string;
  /** A plot of the gradients is written to this file. */
  readonly plot?: string;
}

/**
 * Gradients and processor seconds to 400 effective draws of the quantity with the fewest, by sampler: the posteriors of a checkout of
 * posteriordb that have reference draws, or the models of a folder. Prints the table in Markdown.
 */
export function benchEfficiency(folder: string, options: EfficiencyOptions): Measurement[] {
  const isCheckout = existsSync(join(folder, 'posterior_database'));
  const items = corpus(isCheckout ? unpackPosteriordb(folder) : resolve(folder), options.only);
  const file = options.json;
  const measurements: Measurement[] =
    file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  for (const item of items) {
    const path = join(dirname(item.program), 'posterior.json');
    const reference = existsSync(path) ? readJson<Posterior>(path) : undefined;
    if (isCheckout && reference === undefined) continue;
    for (const sampler of options.samplers) {
      for (const seed of options.seeds) {
        const isMeasured = measurements.some(
          (each) => each.posterior === item.name && each.sampler === sampler.name && each.seed === seed,
        );
        if (isMeasured) continue;
        const measurement = measure(item, sampler, seed, reference);
        if (measurement === undefined) continue;
        measurements.push(measurement);
        if (file !== undefined) writeFileSync(file, JSON.stringify(measurements, null, 1));
      }
    }
  }
  const shown = measurements.filter(({ seed }) => options.seeds.includes(seed));
  console.log(table(shown, options.samplers));
  if (options.plot !== undefined) writeFileSync(options.plot, plotOf(shown, options.samplers));
  return measurements;
}

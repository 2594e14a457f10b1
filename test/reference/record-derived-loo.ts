/**
 * Draws from the models of `derived-loo.ts`, with the log likelihoods that the programs compute themselves, for the R package loo:
 *
 *     node dist/test/reference/record-derived-loo.js draws.json
 *     Rscript test/reference/record-derived-loo.R draws.json test/reference/derived-loo.json.gz
 */
import { writeFileSync } from 'node:fs';
import { close, compile, type Fit } from 'leapfrog';
import { MODELS, withOwn } from './derived-loo.js';
import { parametersOnly } from './derived-loo-fit.js';

const [, , path] = process.argv;
if (path === undefined) throw new Error('name the file to write');
const cases = [];
for (const model of MODELS) {
  const compiled = await compile(withOwn(model));
  const { data } = model;
  const fit = await compiled.sample({ data, random_seed: 1, num_samples: 100, num_chains: 4, refresh: 0 }).result();
  // Few digits suffice for a draw, because its log likelihoods are computed again.
  const rounded = parametersOnly(fit, (value) => Number(value.toPrecision(6)));
  const own = await compiled.generate({ fitted_params: rounded, data, refresh: 0 }).result();
  const { columns } = rounded;
  const chains = rounded.chains.map(({ values }) => [...values]);
  cases.push({ name: model.name, data, columns, chains, logLikelihood: logLikelihoods(own) });
}
writeFileSync(path, JSON.stringify({ cases }));
close();

/** One array per chain, which contains one array per observation with one number per draw. */
function logLikelihoods(fit: Fit): readonly (readonly (readonly number[])[])[] {
  const places = fit.places('log_lik');
  return fit.chains.map((_, chain) => places.map((place) => [...(fit.columnAt(place)[chain] ?? [])]));
}

import { type Fit, openFit } from 'leapfrog';
import type { RecordedLoo } from './derived-loo.js';

/** A fit with the parameters alone, each number changed by `change`. */
export function parametersOnly(fit: Fit, change: (value: number) => number): Fit {
  const contents = fit.contents();
  const names = new Set(contents.outputs.flatMap(({ block, name }) => (block === 'parameters' ? [name] : [])));
  const places = contents.columns.flatMap((column, place) => (names.has(column.split('.', 1)[0] ?? '') ? [place] : []));
  const width = contents.columns.length;
  return openFit({
    ...contents,
    columns: places.map((place) => contents.columns[place] ?? ''),
    diagnosticColumns: [],
    chains: contents.chains.map((chain) => ({
      ...chain,
      warmup: 0,
      diagnostics: new Float64Array(),
      values: Float64Array.from({ length: chain.draws * places.length }, (_, index) => {
        const row = chain.warmup + Math.floor(index / places.length);
        return change(chain.values[row * width + (places[index % places.length] ?? 0)] ?? Number.NaN);
      }),
    })),
  });
}

/** A fit with recorded draws of the parameters. */
export function recordedFit({ chains, columns }: Pick<RecordedLoo, 'chains' | 'columns'>): Fit {
  return openFit({
    program: 'recorded',
    outputs: columns.map((column) => ({ name: column, block: 'parameters' as const })),
    asked: { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', arguments: {}, random_seed: 1, created: '' },
    columns,
    diagnosticColumns: [],
    chains: chains.map((values, index) => ({
      id: index + 1,
      warmup: 0,
      draws: values.length / columns.length,
      values: Float64Array.from(values),
      diagnostics: new Float64Array(),
      initial: undefined,
      adapted: undefined,
      comments: [],
    })),
  });
}

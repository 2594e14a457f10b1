/** Predictive checks and cross-validation of a fit, computed by workers in batches of columns. */

import type { ProgramSource } from '../../chain/compiler.js';
import { derivedPlaces, type LeaveOneOut } from '../../fits/cross-validation.js';
import { concludePredicting, type PredictiveCheck } from '../../fits/predictive.js';
import { variableOf } from '../../formats/columns.js';
import type { LooResource, PredictiveResource } from '../schemas/predictions.js';
import { type Reported, rangesOf } from '../threads/reports.js';
import type { Requests } from '../threads/requests.js';
import { storedStatistics } from '../threads/stored-statistics.js';

/**
 * Leave-one-out cross-validation from the log likelihoods in the selected columns. Throws if any is not finite; `field` is the JSON pointer to
 * the request's name of the columns.
 */
export function leaveOneOut(requests: Requests, reported: Reported, field: string): Promise<LeaveOneOut> {
  const { columns = [] } = reported.selection;
  return leaveOut(
    requests,
    reported,
    columns.map((column) => [column]),
    field,
  );
}

/** Leave-one-out cross-validation from the log likelihoods in a derived fit. */
export function leaveOneOutDerived(requests: Requests, reported: Reported, field: string): Promise<LeaveOneOut> {
  return leaveOut(requests, reported, derivedPlaces(reported.contents.columns), field);
}

function leaveOut(
  requests: Requests,
  { contents, selection }: Reported,
  groups: readonly (readonly number[])[],
  field: string,
): Promise<LeaveOneOut> {
  const statistics = storedStatistics(contents, rangesOf(selection), requests.perform.bind(requests));
  return statistics.leaveOut(groups, { field });
}

/** Leave-one-out cross-validation of the selected draws with moment matching. `data` is JSON text. */
export async function leaveOneOutMatched(
  requests: Requests,
  { contents, selection }: Reported,
  {
    data,
    derives,
    id,
    source,
  }: { readonly data: string; readonly derives: boolean; readonly id: string; readonly source: ProgramSource },
): Promise<LeaveOneOut> {
  const { columns, path } = contents;
  const ranges = rangesOf(selection);
  const job = { kind: 'match moments', model: { id }, source, data, columns, path, ranges, derives } as const;
  const { loo } = await requests.perform('Matching moments', job, 'matched');
  return loo;
}

export function looResource(reported: Reported, loo: LeaveOneOut): LooResource {
  return {
    ...headOf(reported),
    ...estimatesOf(loo),
    observations: loo.observations.map((each) => ({
      name: each.name,
      elpd_loo: each.elpd,
      mcse_elpd_loo: each.mcse,
      p_loo: each.effectiveParameters,
      pareto_k: each.paretoK,
    })),
  };
}

/** Estimates for all observations together. */
export function estimatesOf(loo: LeaveOneOut) {
  const { effectiveParameters, elpd, looic } = loo;
  return {
    elpd_loo: elpd.estimate,
    se_elpd_loo: elpd.standardError,
    mcse_elpd_loo: loo.mcse,
    p_loo: effectiveParameters.estimate,
    se_p_loo: effectiveParameters.standardError,
    looic: looic.estimate,
    se_looic: looic.standardError,
    k_threshold: loo.greatestK,
    ok: loo.ok,
    text: loo.message,
  };
}

/** A variable that simulates data: its columns, and the observed values. */
interface Simulation {
  readonly columns: readonly string[];
  readonly observed?: { readonly name: string; readonly values: Float64Array };
}

/** The selected columns, variable by variable. */
export function simulationsIn({ contents, selection }: Reported): Simulation[] {
  const columns = (selection.columns ?? []).map((place) => contents.columns[place]);
  const variables = [...new Set(columns.map(variableOf))];
  return variables.map((name) => ({ columns: columns.filter((column) => variableOf(column) === name) }));
}

/** Finds the data, given as JSON, that variables simulate. */
export async function simulationsOfData(requests: Requests, reported: Reported, data: string): Promise<Simulation[]> {
  const job = { kind: 'pair', path: reported.contents.path, data } as const;
  const { predictions } = await requests.perform('Reading the data', job, 'paired');
  return predictions.map(({ columns, name, observed }) => ({ columns, observed: { name, values: observed } }));
}

/** Intervals of each observation, and statistics of whole data sets, with the observed values. */
export async function checkPredictions(
  requests: Requests,
  reported: Reported,
  simulations: readonly Simulation[],
): Promise<PredictiveResource> {
  const variables: PredictiveResource['variables'] = [];
  for (const simulation of simulations) {
    const { observations, statistics } = await checkPrediction(requests, reported, simulation);
    const { columns, observed } = simulation;
    variables.push({
      simulated: variableOf(columns[0]),
      ...(observed && { observed: observed.name }),
      statistics: statistics.map(({ name, q05, q50, q95, observed, shareAtLeast }) => ({
        name,
        q5: q05,
        q50,
        q95,
        ...(observed !== undefined && { observed }),
        ...(shareAtLeast !== undefined && { share_at_least: shareAtLeast }),
      })),
      observations: observations.map(({ q05, ...rest }) => ({ ...rest, q5: q05 })),
    });
  }
  return { ...headOf(reported), variables };
}

async function checkPrediction(
  requests: Requests,
  { contents, selection }: Reported,
  { columns, observed }: Simulation,
): Promise<PredictiveCheck> {
  const ranges = rangesOf(selection);
  const places = columns.map((name) => contents.columns.indexOf(name));
  const observations = new Map(places.map((place, k) => [place, observed?.values[k] ?? Number.NaN]));
  const statistics = storedStatistics(contents, ranges, requests.perform.bind(requests));
  const parts = await statistics.collect(places, async (batch) => {
    const values = observed && Float64Array.from(batch, (place) => observations.get(place) ?? Number.NaN);
    const job = { kind: 'predict', path: contents.path, columns: batch, ranges, observed: values } as const;
    return [await requests.perform('Checking the predictions', job, 'predicted')];
  });
  return concludePredicting(parts);
}

function headOf({ name, selection }: Reported) {
  const ranges = rangesOf(selection);
  return { name, chains: ranges.map(({ chain }) => chain), draws: ranges[0]?.count ?? 0 };
}

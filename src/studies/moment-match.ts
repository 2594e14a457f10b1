/** Leave-one-out cross-validation with moment matching for observations with a high Pareto k. */

import type { Compiler, ProgramSource } from '../chain/compiler.js';
import type { EngineModel, MemoryLimits, ModelHost } from '../chain/model-host.js';
import { Misfit } from '../chain/refusal.js';
import { densityAt, positionsOf, unlessRejected } from '../chain/unconstrained-draws.js';
import { LOG_LIKELIHOOD, LOG_LIKELIHOOD_OF, TERMS_OF } from '../derive/derived-names.js';
import { concludeLeavingOut, type LeaveOneOut, leaveOut, type Observation } from '../fits/cross-validation.js';
import { variableOf } from '../formats/columns.js';
import { type JsonData, parseStanData } from '../formats/stan-json.js';
import type { Chains } from '../inference/diagnostics/chains.js';
import { greatestReliableK } from '../inference/validation/leave-one-out.js';
import { matchMoments, type ObservedPosterior } from '../inference/validation/moment-matching.js';

export interface MatchRequest {
  readonly source: ProgramSource;
  /** In Stan's JSON format. */
  readonly data: string;
  /** Names of the numbers of a draw; only parameters are used. */
  readonly columns: readonly string[];
  /** Row-major draws of each chain. All chains must have the same number of draws. */
  readonly chains: readonly Float64Array[];
  /** Whether log likelihoods are derived even if the program computes them. */
  readonly derives?: boolean;
}

const GENERATED = { transformedParameters: true, generatedQuantities: true };
const KERNEL = { propto: true, jacobian: true };
/** Maximum number of log likelihoods: 1 GiB. */
const MOST_VALUES = 2 ** 27;

/**
 * Cross-validates a fit with moment matching. The program computes log likelihoods as `log_lik`, or they are derived from it. Throws
 * `Misfit` if they cannot be derived or are not finite, and errors of the host. Observations have the names of columns.
 */
export function crossValidateMatched(
  compiler: Compiler,
  host: ModelHost,
  request: MatchRequest,
  limits: MemoryLimits,
): LeaveOneOut {
  const { columns, data, derives = false, source } = request;
  const values = parseStanData(data);
  const open = (derived: boolean) => openModel(compiler, host, source, values, derived, limits);
  const model = open(false);
  const hasOwn = !derives && model.constrainedNames(GENERATED).some((name) => variableOf(name) === LOG_LIKELIHOOD);
  const likelihood = hasOwn ? model : open(true);
  const names = likelihood.constrainedNames(GENERATED);
  const wanted = names.flatMap((name, place) => (isLogLikelihood(name) ? [place] : []));
  const positions = request.chains.map((rows) => positionsOf(host, model, columns, rows));
  const all = positions.flat();
  if (all.length * names.length > MOST_VALUES)
    throw new Misfit('the log likelihoods of all draws do not fit in memory');
  const draws = {
    positions: all,
    logDensities: Float64Array.from(all, (position) => densityAt(host, model, position, KERNEL)),
  };
  const generated = positions.map((chain) =>
    chain.map((position) => generatedAt(host, likelihood, names.length, position)),
  );
  const columnsOf = (place: number): Chains => generated.map((chain) => Float64Array.from(chain, (row) => row[place]));
  const found = leaveOut(wanted.map((place) => ({ name: names[place], chains: columnsOf(place) })));
  if ('refused' in found) throw new Misfit(found.refused);
  const greatestK = greatestReliableK(all.length);
  const places = new Map(wanted.map((place) => [nameOf(names[place]), place]));
  const observations = found.observations.map((observation): Observation => {
    const place = places.get(observation.name);
    if (place === undefined || !(observation.paretoK > greatestK)) return observation;
    const target = targetOf(host, model, likelihood, names.length, place);
    return { name: observation.name, ...matchMoments(target, draws, columnsOf(place), observation, greatestK) };
  });
  return concludeLeavingOut(observations, all.length);
}

function isLogLikelihood(name: string): boolean {
  return variableOf(name) === LOG_LIKELIHOOD || name.startsWith(LOG_LIKELIHOOD_OF) || name.startsWith(TERMS_OF);
}

/** The name of an observation. */
function nameOf(column: string): string {
  return column.startsWith(LOG_LIKELIHOOD_OF) ? column.slice(LOG_LIKELIHOOD_OF.length) : column;
}

function openModel(
  compiler: Compiler,
  host: ModelHost,
  source: ProgramSource,
  data: JsonData,
  isDerived: boolean,
  limits: MemoryLimits,
): EngineModel {
  const compilation = compiler.compile(source, isDerived ? { derived: LOG_LIKELIHOOD } : {});
  if (!compilation.compiled) throw new Misfit(compilation.text);
  const module = new WebAssembly.Module(new Uint8Array(compilation.wasm));
  const model = { artifact: compilation.artifact, module };
  return host.instantiate(model, data, { seed: 1, print: () => undefined, ...limits });
}

function generatedAt(host: ModelHost, model: EngineModel, count: number, position: Float64Array): Float64Array {
  const values = new Float64Array(count).fill(Number.NaN);
  model.seedRandom(1, 1);
  unlessRejected(host, () => model.writeArray(position, values, GENERATED), undefined);
  return values;
}

function targetOf(
  host: ModelHost,
  model: EngineModel,
  likelihood: EngineModel,
  count: number,
  place: number,
): ObservedPosterior {
  return {
    logDensity: (position) => densityAt(host, model, position, KERNEL),
    logLikelihood: (position) => generatedAt(host, likelihood, count, position)[place],
  };
}

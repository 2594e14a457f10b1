/**
 * Requests for draws from the prior, simulation-based calibration and cross-validation with refits. They have the
 * arguments of a sampler, which runs on programs that are derived from the model's.
 */
import { type TSchema, Type } from 'typebox';
import { algorithms } from '../../inference/algorithms/registry.js';
import {
  calibrationChains,
  calibrationProblems,
  FEWEST_SIMULATIONS,
  isSimulationCount,
  MOST_SIMULATIONS,
  NOT_CALIBRATED,
  USUAL_SIMULATIONS,
} from '../../requests/calibration-request.js';
import { argumentsOf, inputsOf, isSampler } from '../../requests/functions.js';
import {
  FEWEST_FOLDS,
  NOT_REFITTED,
  readRefitPlan,
  refitShares,
  USUAL_FOLDS,
  USUAL_REFIT_CHAINS,
} from '../../requests/refit-request.js';
import type { ErrorDetail } from '../errors.js';
import { DataField } from '../schemas/evaluations.js';
import { argumentSchema, type FitRequest, type ReadFitRequest, readFitRequest, requestSchema } from './fit-request.js';

const USUAL_SAMPLER = 'stan::services::sample::hmc_nuts_diag_e_adapt';

const samplers = algorithms.filter((algorithm) => isSampler(algorithm) && algorithm.inputs.includes('warm_start'));

/** Fields of sampler requests that a calibration does not have. */
const EXCLUDED: readonly string[] = [...NOT_CALIBRATED, 'save_warmup', 'on_cancel'];

const UNREFITTED: readonly string[] = [...NOT_REFITTED, 'save_warmup', 'on_cancel'];

/** Parses a request for draws from the prior, which has the fields of a sampler request. */
export function readPriorRequest(body: unknown): ReadFitRequest {
  return readSamplerRequest(withSampler(body), { prior: true });
}

/** Parses a request for a calibration. */
export function readCalibrationRequest(body: unknown): ReadFitRequest {
  const given = withSampler(body);
  if (!isObject(given)) return readFitRequest(given);
  const { simulations = USUAL_SIMULATIONS, ...fields }: Record<string, unknown> = { ...given };
  const found = calibrationProblems(fields, simulations, EXCLUDED);
  if (found.length > 0 || !isSimulationCount(simulations)) {
    return { details: found.map(({ field, message }) => ({ field: `/${field}`, message })) };
  }
  return readSamplerRequest({ ...fields, num_chains: calibrationChains(simulations) }, { simulations });
}

/** Parses a request for cross-validation with refits. */
export function readRefitRequest(body: unknown): ReadFitRequest {
  const given = withSampler(body);
  if (!isObject(given)) return readFitRequest(given);
  const found = readRefitPlan({ ...given }, UNREFITTED);
  if ('problems' in found) {
    return { details: found.problems.map(({ field, message }) => ({ field: `/${field}`, message })) };
  }
  const { plan, rest } = found;
  return readSamplerRequest({ ...rest, num_chains: refitShares(plan.held) }, { refits: plan });
}

/** Parses a request for a sampler; `derived` is added to it. */
function readSamplerRequest(
  body: unknown,
  derived: Partial<Pick<FitRequest, 'prior' | 'simulations' | 'refits'>>,
): ReadFitRequest {
  const read = readFitRequest(body);
  if ('details' in read) return read;
  const details = samplerProblems(read.request.function);
  return details.length > 0 ? { details } : { request: { ...read.request, ...derived } };
}

/** The body, with the default sampler unless it names one. */
function withSampler(body: unknown = {}): unknown {
  return isObject(body) ? { function: USUAL_SAMPLER, ...body } : body;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function samplerProblems(name: string): ErrorDetail[] {
  if (samplers.some(({ functionName }) => functionName === name)) return [];
  const names = samplers.map(({ functionName }) => functionName).join(', ');
  return [{ field: '/function', message: `must be one of ${names}` }];
}

export function priorBodySchema(): TSchema {
  return Type.Union(samplers.map(requestSchema), { title: 'PriorRequest' });
}

export function calibrationBodySchema(): TSchema {
  return samplerBodySchema(
    EXCLUDED,
    {
      simulations: Type.Optional(
        Type.Integer({
          default: USUAL_SIMULATIONS,
          minimum: FEWEST_SIMULATIONS,
          maximum: MOST_SIMULATIONS,
          description: 'Number of data sets.',
        }),
      ),
    },
    {
      title: 'CalibrationRequest',
      description: 'Arguments are those of the sampler. Only the sizes of outcomes in data are used.',
    },
  );
}

export function refitBodySchema(): TSchema {
  return samplerBodySchema(
    UNREFITTED,
    {
      folds: Type.Optional(
        Type.Integer({
          default: USUAL_FOLDS,
          minimum: FEWEST_FOLDS,
          description: 'Number of groups into which observations are divided at random.',
        }),
      ),
      groups: Type.Optional(
        Type.String({
          description: 'A member of data with the group number of each observation, instead of folds.',
        }),
      ),
      observations: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          description: 'Names of observations, such as y[3], to leave out one at a time, instead of folds.',
        }),
      ),
      num_chains: Type.Optional(
        Type.Integer({
          default: USUAL_REFIT_CHAINS,
          minimum: 1,
          description: 'Number of Markov chains of each refit.',
        }),
      ),
    },
    {
      title: 'RefitRequest',
      description: 'Arguments are those of the sampler. With warm_start, refits start from the final state of a fit.',
    },
  );
}

/** The schema of a request: the fields of all samplers, without the excluded ones, and additional fields. */
function samplerBodySchema(
  excluded: readonly string[],
  own: Readonly<Record<string, TSchema>>,
  head: { readonly title: string; readonly description: string },
): TSchema {
  const rows = new Map(samplers.flatMap((sampler) => argumentsOf(sampler).map((each) => [each.name, each] as const)));
  const inputs = new Map(samplers.flatMap((sampler) => inputsOf(sampler).map((each) => [each.name, each] as const)));
  const fields = [
    ...[...inputs].map(([name, { description }]): [string, TSchema] => [name, Type.Unknown({ description })]),
    ...[...rows].map(([name, row]): [string, TSchema] => [name, argumentSchema(row)]),
  ].filter(([name]) => !excluded.includes(name));
  return Type.Object(
    {
      function: Type.Optional(
        Type.Enum(
          samplers.map(({ functionName }) => functionName),
          { default: USUAL_SAMPLER, description: 'The sampler.' },
        ),
      ),
      data: Type.Optional(DataField),
      ...Object.fromEntries(fields.map(([name, schema]) => [name, Type.Optional(schema)])),
      ...own,
    },
    { additionalProperties: false, ...head },
  );
}

/** Requests for runs: the fields of the HTTP interface, with fits as values rather than names. */
import type { Input } from '../inference/algorithms/algorithm.js';
import { type ArgumentProblem, type ArgumentValue, readArguments } from '../inference/algorithms/arguments.js';
import { findAlgorithm, ownSamplers } from '../inference/algorithms/registry.js';
import type { FitRequest } from '../requests/fit-requests.js';
import { argumentsOf, inputsOf } from '../requests/functions.js';
import { type MethodName, methodNamed, withoutPaths } from '../requests/methods.js';
import { readUntil, type Until } from '../requests/until.js';
import { type Variables, variablesText } from '../requests/variables.js';
import { RequestError } from './errors.js';
import { Fit } from './fit.js';
import type { PortableInput, PortableInputs } from './protocol.js';

/** Values of the data variables, or their JSON text. */
export type Data = Variables | string;

/** A request for a function of the services namespace. Inputs are values or fits. */
export type RunRequest = FitRequest<Fit, Data> & UntilFields;

/** The rule for stopping, for functions of the No-U-Turn sampler. */
export interface UntilFields {
  readonly until?: Until;
}

/** A request with all defaults. */
export interface ReadRequest {
  readonly functionName: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly data: string;
  readonly inputs: PortableInputs;
  readonly save: readonly string[] | undefined;
  readonly seed: number;
  readonly firstChain: number;
  readonly chains: number;
  readonly until: Until | undefined;
}

/** Untyped fields. */
type Fields = Readonly<Record<string, unknown>>;

/** Parses a request. Throws `RequestError` with all errors. */
export function readRequest(request: object): ReadRequest {
  const { function: name, data, save, until, ...rest }: Fields = { ...request };
  const algorithm = typeof name === 'string' ? findAlgorithm(name) : undefined;
  if (algorithm === undefined) throw new RequestError([{ field: 'function', message: 'is unknown' }]);
  const problems: ArgumentProblem[] = [];
  const inputs: Partial<Record<Input, PortableInput>> = {};
  const given = plain(rest);
  for (const { name: input, required } of inputsOf(algorithm)) {
    const source = rest[input];
    delete given[input];
    if ((input === 'warm_start' || input === 'continue') && source !== undefined && !(source instanceof Fit))
      problems.push({ field: input, message: 'must be a fit' });
    else if (isSource(source)) inputs[input] = inputOf(input, source);
    else if (source !== undefined) problems.push({ field: input, message: 'must be values or a fit' });
    else if (required) problems.push({ field: input, message: 'is required' });
  }
  if (!isNames(save)) problems.push({ field: 'save', message: 'must be an array of one or more names of variables' });
  const text = dataText(data);
  if (text === undefined) problems.push(NO_DATA);
  const read = readArguments(argumentsOf(algorithm), given);
  if ('problems' in read) problems.push(...read.problems);
  const rule =
    'problems' in read || until === undefined
      ? undefined
      : readUntil(until, read.settings.entries(), Object.keys(inputs), algorithm.inputs.includes('continue'));
  if (rule !== undefined && 'problems' in rule) problems.push(...rule.problems);
  if ('problems' in read || text === undefined || !isNames(save) || problems.length > 0) {
    throw new RequestError(problems);
  }
  const { num_chains = 1, random_seed, ...settings } = read.settings.entries();
  return {
    functionName: algorithm.functionName,
    arguments: settings,
    data: text,
    inputs,
    save,
    seed: typeof random_seed === 'number' ? random_seed : randomSeed(),
    firstChain: read.settings.number('chain'),
    chains: Number(num_chains),
    until: rule !== undefined && 'until' in rule ? rule.until : undefined,
  };
}

/**
 * The request of a method: the function that its fields select, with the function's arguments. Throws `RequestError`.
 */
export function methodRequest(name: MethodName, given: object): Fields {
  const fields: Fields = { ...given };
  const method = methodNamed(name);
  const selectors = new Map(method.selectors.map((row) => [row.name, row]));
  const chosen = Object.entries(fields).filter(([field]) => selectors.has(field));
  const read = readArguments(method.selectors, Object.fromEntries(chosen));
  if ('problems' in read) throw new RequestError(read.problems);
  const { num_paths } = fields;
  const algorithm = method.choose({
    ...read.settings.entries(),
    ...(typeof num_paths === 'number' && { num_paths }),
  });
  const found = findAlgorithm(algorithm);
  if (found === undefined) {
    const hasOwnMetric = ownSamplers.includes(String(fields.algorithm));
    const field = hasOwnMetric && fields.metric === undefined ? 'adapt_engaged' : 'metric';
    const message = hasOwnMetric
      ? `is not an argument of the algorithm ${fields.algorithm}`
      : `is ${String(fields.metric)}, which requires the algorithm nuts`;
    throw new RequestError([{ field, message }]);
  }
  const others = Object.fromEntries(Object.entries(fields).filter(([field]) => !selectors.has(field)));
  return { ...withoutPaths(algorithm, others), function: found.functionName };
}

/** The error for data that `isData` rejects. */
export const NO_DATA: ArgumentProblem = { field: 'data', message: 'must be an object with one member per variable' };

/** Whether data are values by name, or a text. */
export function isData(data: unknown): data is Data {
  return typeof data === 'string' || isVariables(data);
}

/** The JSON text of data; undefined if they are neither values by name nor a text. */
function dataText(data: unknown): string | undefined {
  if (data === undefined) return '{}';
  return isData(data) ? textOf(data) : undefined;
}

/** Data as JSON text. */
export function textOf(data: Data): string {
  return typeof data === 'string' ? data : variablesText(data);
}

function isVariables(value: unknown): value is Variables {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

function isSource(value: unknown): value is Variables | readonly Variables[] | Fit {
  return isVariables(value) || (Array.isArray(value) && value.every(isVariables));
}

function inputOf(input: Input, source: Variables | readonly Variables[] | Fit): PortableInput {
  if (source instanceof Fit) return { kind: 'draws', name: 'the fit', draws: source.memoryDraws() };
  if (input !== 'init' || !isVariablesList(source)) return { kind: 'values', text: variablesText(source) };
  const [first = {}, ...further] = source;
  return { kind: 'values', text: variablesText(first), further: further.map(variablesText) };
}

function isVariablesList(source: Variables | readonly Variables[]): source is readonly Variables[] {
  return Array.isArray(source);
}

function isNames(value: unknown): value is readonly string[] | undefined {
  if (value === undefined) return true;
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string');
}

/** Converts typed arrays to arrays, which the arguments require, and omits undefined fields. */
function plain(given: Fields): Record<string, unknown> {
  const plainValue = (value: unknown): unknown => {
    if (value instanceof Float64Array) return [...value];
    return Array.isArray(value) ? value.map(plainValue) : value;
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, plainValue(value)]])),
  );
}

/** A seed of 32 random bits. */
export function randomSeed(): number {
  const [seed] = crypto.getRandomValues(new Uint32Array(1));
  return seed;
}

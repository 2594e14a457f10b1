/** What a run is asked for: the fields of the HTTP interface, with fits as values rather than by name. */
import type { Input } from '../inference/algorithms/algorithm.js';
import { type ArgumentProblem, type ArgumentValue, readArguments } from '../inference/algorithms/arguments.js';
import { findAlgorithm } from '../inference/algorithms/registry.js';
import { argumentsOf } from '../run/function-arguments.js';
import { type Variables, variablesText } from '../run/variables.js';
import { RequestError } from './errors.js';
import { Fit } from './fit.js';
import type { PortableInput, PortableInputs } from './protocol.js';

type Numbers = readonly number[] | Float64Array;

/** The fields that every function takes, beside its arguments. */
export interface RunFields {
  /** Values of the data variables, or their JSON text. */
  readonly data?: Variables | string;
  /** Initial values, those that are missing being drawn at random; or a fit, of whose draws each chain takes another. */
  readonly init?: Variables | Fit;
  /** The mode, of functions that take one: values, or the fit of an optimizer. */
  readonly mode?: Variables | Fit;
  /** Draws, of functions that take them: values, or a fit, whose chains become those of the new one. */
  readonly fitted_params?: readonly Variables[] | Fit;
  /** Variables that draws keep; all of them unless given. */
  readonly save?: readonly string[];
  /** Arguments of the function, as in the HTTP interface. */
  readonly [argument: string]:
    | number
    | boolean
    | string
    | Numbers
    | readonly Numbers[]
    | Variables
    | readonly Variables[]
    | readonly string[]
    | Fit
    | undefined;
}

/** A request for a run: the function, by its full or its short name, and what it takes. */
export interface RunFunctionFields extends RunFields {
  readonly function: string;
}

/** A request with nothing left open. */
export interface ReadRequest {
  readonly functionName: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly data: string;
  readonly inputs: PortableInputs;
  readonly save: readonly string[] | undefined;
  readonly seed: number;
  readonly firstChain: number;
  readonly chains: number;
}

const INPUTS: readonly Input[] = ['init', 'mode', 'fitted_params'];
/** Inputs that a function which takes them cannot do without. */
const REQUIRED: readonly Input[] = ['mode', 'fitted_params'];

/** Throws `RequestError` with all that is wrong. */
export function readRequest(fields: RunFunctionFields): ReadRequest {
  const { function: name, data = {}, init, mode, fitted_params, save, ...given } = fields;
  const algorithm = findAlgorithm(name);
  if (algorithm === undefined) throw new RequestError([{ field: 'function', message: 'is unknown' }]);
  const sources: Partial<Record<Input, RunFields[Input]>> = { init, mode, fitted_params };
  const problems: ArgumentProblem[] = [];
  const inputs: Partial<Record<Input, PortableInput>> = {};
  for (const input of INPUTS) {
    const source = sources[input];
    const isTaken = algorithm.inputs.includes(input);
    if (source === undefined) {
      if (isTaken && REQUIRED.includes(input)) problems.push({ field: input, message: 'is required' });
    } else if (!isTaken) problems.push({ field: input, message: 'is not an argument of this function' });
    else inputs[input] = inputOf(source);
  }
  const read = readArguments(argumentsOf(algorithm), plain(given));
  if ('problems' in read) problems.push(...read.problems);
  if ('problems' in read || problems.length > 0) throw new RequestError(problems);
  const { num_chains = 1, random_seed, ...settings } = read.settings.entries();
  return {
    functionName: algorithm.functionName,
    arguments: settings,
    data: typeof data === 'string' ? data : variablesText(data),
    inputs,
    save,
    seed: typeof random_seed === 'number' ? random_seed : randomSeed(),
    firstChain: read.settings.number('chain'),
    chains: Number(num_chains),
  };
}

function inputOf(source: Variables | readonly Variables[] | Fit): PortableInput {
  if (source instanceof Fit) return { kind: 'draws', name: 'the fit', draws: source.memoryDraws() };
  return { kind: 'values', text: variablesText(source) };
}

/** Typed arrays as arrays, as arguments are read; what is undefined was not given. */
function plain(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const plainValue = (value: unknown): unknown => {
    if (value instanceof Float64Array) return [...value];
    return Array.isArray(value) ? value.map(plainValue) : value;
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, plainValue(value)]])),
  );
}

function randomSeed(): number {
  const [seed] = crypto.getRandomValues(new Uint32Array(1));
  return seed;
}

/** Requests for functions of the services namespace. Their schemas come from the algorithms' argument tables. */
import { type TSchema, Type } from 'typebox';
import { JsonText } from '../../formats/stan-json.js';
import type { Algorithm, Input } from '../../inference/algorithms/algorithm.js';
import { type Argument, type ArgumentValue, MAX_COUNT, readArguments } from '../../inference/algorithms/arguments.js';
import { algorithms, findAlgorithm, functionNames } from '../../inference/algorithms/registry.js';
import type { InputDescription } from '../../requests/function-description.js';
import { argumentsOf, CONTINUABLE, inputsOf, MAX_CHAINS, requestName, SAVE } from '../../requests/functions.js';
import type { RefitPlan } from '../../requests/refit-request.js';
import { readUntil, type Until } from '../../requests/until.js';
import type { ErrorDetail } from '../errors.js';
import { DataField } from '../schemas/evaluations.js';
import { UntilSchema } from '../schemas/operations.js';
import { componentReference } from '../schemas/shared.js';
import { fitNameOf } from '../store/operation-resource.js';

/** A request for a fit, complete except for the seed. */
export interface FitRequest {
  /** Full name, `stan::services::…`. */
  readonly function: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly chains: readonly number[];
  /** If absent, the server chooses it at random. */
  readonly seed: number | undefined;
  readonly data: string;
  /** JSON texts: values, or a string with the name of a fit. */
  readonly inputs: InputTexts;
  /** Names of the variables to save; absent for all. */
  readonly save: readonly string[] | undefined;
  /** The rule for stopping; absent for a run of a fixed length. */
  readonly until: Until | undefined;
  /** Whether a cancelled run keeps its draws as another fit. */
  readonly keeps?: true;
  /** Whether draws are those of the prior distribution. */
  readonly prior?: true;
  /** Number of data sets of simulation-based calibration, which are divided among the chains. */
  readonly simulations?: number;
  /** What the refits of cross-validation leave out. Refits are divided among the chains. */
  readonly refits?: RefitPlan;
}

/** A request, or all errors in it. */
export type ReadFitRequest = { readonly request: FitRequest } | { readonly details: readonly ErrorDetail[] };

export type InputTexts = Readonly<Partial<Record<Input, string>>>;

/** The identifiers in `models/<model_id>/fits/<fit_id>`. */
export function parseFitName(name: string): { readonly modelId: string; readonly fitId: string } | undefined {
  const match = /^models\/([^/]+)\/fits\/([^/]+)$/.exec(name);
  return match === null ? undefined : { modelId: match[1], fitId: match[2] };
}

/** First character and form of an input's values as JSON. Inputs that are not listed accept only names of fits. */
const SHAPES: Readonly<Partial<Record<Input, { readonly opening: '{' | '['; readonly shape: string }>>> = {
  init: { opening: '{', shape: 'an object with one member per parameter' },
  mode: { opening: '{', shape: 'an object with one member per parameter' },
  fitted_params: { opening: '[', shape: 'an array of objects, one per draw,' },
};

/** Parses a request's body, or lists all of its errors. */
export function readFitRequest(body: unknown): ReadFitRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { details: [{ field: '', message: 'must be an object with at least the field function' }] };
  }
  const { function: name, data, on_cancel, save, until, ...rest }: Record<string, unknown> = { ...body };
  const algorithm = typeof name === 'string' ? findFunction(name) : undefined;
  const { fields, given } = takeInputs(rest, algorithm);
  const read = readArguments(argumentsOf(algorithm), given);
  const details: ErrorDetail[] = [];
  const say = (field: string, message: string | undefined) => {
    if (message !== undefined) details.push({ field: `/${field}`, message });
  };
  if (algorithm === undefined) say('function', functionProblem(name));
  if (!isDataText(data)) say('data', 'must be an object with one member per variable');
  for (const field of fields) say(field.name, inputProblem(field, rest[field.name], algorithm !== undefined));
  say('save', saveProblem(save));
  say('on_cancel', cancelProblem(on_cancel, algorithm));
  say('chain', chainProblem(rest));
  if ('problems' in read) for (const { field, message } of read.problems) say(field, message);
  const rule =
    algorithm === undefined || 'problems' in read || until === undefined
      ? undefined
      : readUntil(until, read.settings.entries(), namesOf(rest, fields), takesUntil(algorithm));
  if (rule !== undefined && 'problems' in rule) for (const { field, message } of rule.problems) say(field, message);
  if (algorithm === undefined || 'problems' in read || details.length > 0) return { details };
  const { num_chains = 1, random_seed, ...settings } = read.settings.entries();
  const chain = read.settings.number('chain');
  const count = Number(num_chains);
  return {
    request: {
      function: algorithm.functionName,
      arguments: settings,
      chains: Array.from({ length: count }, (_, index) => chain + index),
      seed: typeof random_seed === 'number' ? random_seed : undefined,
      data: data instanceof JsonText ? data.text : '{}',
      inputs: Object.fromEntries(fields.flatMap(({ name }) => textOf(name, rest[name]))),
      save: isNames(save) ? save : undefined,
      until: rule !== undefined && 'until' in rule ? rule.until : undefined,
      ...(on_cancel === 'keep' && { keeps: true as const }),
    },
  };
}

/** The body's schema for the OpenAPI page: one per function. Generated clients choose among them by the function's name. */
export function fitBodySchema(): TSchema {
  const references = algorithms.flatMap((algorithm) =>
    functionNames(algorithm).map((name): [string, string] => [name, componentReference(requestName(algorithm))]),
  );
  return Type.Unsafe({
    title: 'FitRequest',
    oneOf: algorithms.map(requestSchema),
    discriminator: { propertyName: 'function', mapping: Object.fromEntries(references) },
  });
}

/** The schema of requests for one function. */
export function requestSchema(algorithm: Algorithm): TSchema {
  const { description } = algorithm;
  const names = functionNames(algorithm);
  const inputFields = inputsOf(algorithm).map((field): [string, TSchema] => {
    const schema = Type.Unknown({ description: field.description });
    return [field.name, field.required ? schema : Type.Optional(schema)];
  });
  const fields = argumentsOf(algorithm).map((argument): [string, TSchema] => [
    argument.name,
    Type.Optional(argumentSchema(argument)),
  ]);
  return Type.Object(
    {
      function: Type.Enum(names, {
        description: 'Full name. The two prefixes are equivalent.',
        // Names of the constants in generated clients, which would otherwise be derived from names with colons.
        'x-enum-varnames': names.map((each) => each.slice(0, each.indexOf(':')).toUpperCase()),
      }),
      data: Type.Optional(DataField),
      ...Object.fromEntries(inputFields),
      save: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: SAVE.description })),
      ...Object.fromEntries(fields),
      ...(takesUntil(algorithm) && { until: Type.Optional(UntilSchema), on_cancel: OnCancel }),
    },
    { additionalProperties: false, title: requestName(algorithm), description },
  );
}

const OnCancel = Type.Optional(
  Type.Enum(['delete', 'keep'], {
    title: 'OnCancel',
    default: 'delete',
    description:
      'Whether a cancelled run keeps its draws as another fit, which can be continued: metadata.kept. It contains the blocks of iterations that all chains have completed. A block has num_samples iterations with until, otherwise a tenth of num_samples, but at least 100.',
  }),
);

function cancelProblem(value: unknown, algorithm: Algorithm | undefined): string | undefined {
  if (value === undefined || value === 'delete') return undefined;
  if (value !== 'keep') return 'must be delete or keep';
  return algorithm === undefined || takesUntil(algorithm)
    ? undefined
    : `can be keep only for the functions ${CONTINUABLE}`;
}

/** The functions whose chains can be continued also run in blocks. */
function takesUntil({ inputs }: Algorithm): boolean {
  return inputs.includes('continue');
}

/** The inputs that a request has. */
function namesOf(rest: Readonly<Record<string, unknown>>, fields: readonly InputDescription[]): string[] {
  return fields.flatMap(({ name }) => (rest[name] === undefined ? [] : [name]));
}

/** Separates a function's inputs from other members. For an unknown function, the inputs of all functions. */
function takeInputs(
  rest: Readonly<Record<string, unknown>>,
  algorithm: Algorithm | undefined,
): { readonly fields: readonly InputDescription[]; readonly given: Readonly<Record<string, unknown>> } {
  const fields = inputsOf(algorithm);
  const taken = new Set<string>(fields.map(({ name }) => name));
  return { fields, given: Object.fromEntries(Object.entries(rest).filter(([name]) => !taken.has(name))) };
}

function findFunction(name: string): Algorithm | undefined {
  return /^\w+::services::/.test(name) ? findAlgorithm(name) : undefined;
}

function functionProblem(name: unknown): string {
  if (name === undefined) return 'is required';
  if (typeof name !== 'string') return 'must be a string';
  return `must be one of ${algorithms.map((algorithm) => algorithm.functionName).join(', ')}`;
}

export function argumentSchema(argument: Argument): TSchema {
  const { name, type, ...rules } = argument;
  const { description } = argument;
  switch (argument.type) {
    case 'boolean':
      return Type.Boolean(rules);
    case 'string':
      return Type.Enum([...argument.choices], { default: argument.default, description });
    case 'array':
      return Type.Array(argument.depth === 1 ? Type.Number() : Type.Array(Type.Number()), { description });
    case 'integer':
      return Type.Integer(rules);
    default:
      return Type.Number(rules);
  }
}

function isDataText(value: unknown): boolean {
  return value === undefined || (value instanceof JsonText && value.text.startsWith('{'));
}

function inputProblem({ name, required }: InputDescription, value: unknown, isWanted: boolean): string | undefined {
  const values = SHAPES[name];
  if (value === undefined) return required && isWanted ? 'is required' : undefined;
  if (value instanceof JsonText) {
    if (values !== undefined && value.text.startsWith(values.opening)) return undefined;
    const fit = fitNameOf(value.text);
    if (fit !== undefined && parseFitName(fit) !== undefined) return undefined;
  }
  return `must be ${values === undefined ? '' : `${values.shape} or `}the name of a fit, models/<model_id>/fits/<fit_id>`;
}

function textOf(name: Input, value: unknown): [Input, string][] {
  return value instanceof JsonText ? [[name, value.text]] : [];
}

/** Checks `chain` against `num_chains`. */
function chainProblem({ chain, num_chains }: Readonly<Record<string, unknown>>): string | undefined {
  const last = Number(chain) + Number(num_chains) - 1;
  const isWrong = Number(chain) <= MAX_COUNT && Number(num_chains) <= MAX_CHAINS && last > MAX_COUNT;
  return isWrong ? `plus num_chains exceeds ${MAX_COUNT}` : undefined;
}

function saveProblem(value: unknown): string | undefined {
  return value === undefined || isNames(value) ? undefined : 'must be an array of one or more names of variables';
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string');
}

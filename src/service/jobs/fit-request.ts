/** What a client may ask of a function of the services namespace: read off the algorithms' own argument tables. */
import { type TSchema, Type } from 'typebox';
import type { Algorithm } from '../../inference/algorithms/algorithm.js';
import { type Argument, type ArgumentValue, MAX_COUNT, readArguments } from '../../inference/algorithms/arguments.js';
import { algorithms, findAlgorithm } from '../../inference/algorithms/registry.js';
import { JsonText } from '../../model/json.js';
import type { ErrorDetail } from '../errors.js';
import { DataField } from '../schemas.js';

/** A request for a fit with nothing left open but the seed. */
export interface FitRequest {
  /** Full name, `stan::services::…`. */
  readonly function: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly chains: readonly number[];
  /** Absent when one is to be drawn. */
  readonly seed: number | undefined;
  readonly data: string;
  readonly init: string | undefined;
}

const NUM_CHAINS: Argument = {
  name: 'num_chains',
  type: 'integer',
  default: 1,
  minimum: 1,
  maximum: 10_000,
  description: 'Chains to run, with ids from `chain` upward and the same seed.',
};

/** Reads a request's body, or lists everything that is wrong with it. */
export function readFitRequest(body: unknown): { readonly request: FitRequest } | { readonly details: ErrorDetail[] } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { details: [{ field: '', message: 'must be an object with at least the field function' }] };
  }
  const { function: name, data, init, ...given }: Record<string, unknown> = { ...body };
  const algorithm = typeof name === 'string' ? findFunction(name) : undefined;
  const read = readArguments(argumentsOf(algorithm), given);
  const details: ErrorDetail[] = [];
  if (algorithm === undefined) details.push({ field: '/function', message: functionProblem(name) });
  if (!isObjectText(data)) details.push({ field: '/data', message: 'must be an object with one member a variable' });
  if (!isObjectText(init)) details.push({ field: '/init', message: 'must be an object with one member a parameter' });
  if ('problems' in read) {
    return { details: [...details, ...read.problems.map(({ field, message }) => ({ field: `/${field}`, message }))] };
  }
  const { num_chains, random_seed, ...settings } = read.settings.entries();
  const chain = read.settings.number('chain');
  const count = read.settings.number('num_chains');
  if (chain + count - 1 > MAX_COUNT) details.push({ field: '/chain', message: `plus num_chains exceeds ${MAX_COUNT}` });
  if (algorithm === undefined || details.length > 0) return { details };
  return {
    request: {
      function: algorithm.functionName,
      arguments: settings,
      chains: Array.from({ length: count }, (_, index) => chain + index),
      seed: typeof random_seed === 'number' ? random_seed : undefined,
      data: data instanceof JsonText ? data.text : '{}',
      init: init instanceof JsonText ? init.text : undefined,
    },
  };
}

/** The body's schema for the OpenAPI page. */
export function fitBodySchema(): TSchema {
  const fields = new Map<string, { arguments: Argument[]; takenBy: string[] }>();
  for (const algorithm of algorithms) {
    for (const argument of argumentsOf(algorithm)) {
      const field = fields.get(argument.name) ?? { arguments: [], takenBy: [] };
      if (!field.arguments.includes(argument)) field.arguments.push(argument);
      field.takenBy.push(algorithm.name);
      fields.set(argument.name, field);
    }
  }
  const optional = [...fields].map(([name, field]): [string, TSchema] => {
    const everywhere = field.takenBy.length === algorithms.length;
    const description = [...new Set(field.arguments.map((argument) => argument.description))].join(' Or: ');
    const taken = everywhere ? description : `${description} Taken by ${field.takenBy.join(', ')}.`;
    const schemas = field.arguments.map(argumentSchema);
    const schema = schemas.length === 1 ? schemas[0] : Type.Union(schemas);
    return [name, Type.Optional({ ...schema, description: taken })];
  });
  const names = algorithms.map((algorithm) => algorithm.functionName);
  return Type.Object(
    {
      function: Type.Enum(names, { description: 'Full name; the prefix engine::services:: is accepted as well.' }),
      data: Type.Optional(DataField),
      init: Type.Optional(DataField),
      ...Object.fromEntries(optional),
    },
    { additionalProperties: false },
  );
}

function argumentsOf(algorithm: Algorithm | undefined): readonly Argument[] {
  if (algorithm !== undefined) return [...algorithm.arguments, NUM_CHAINS];
  const byName = new Map(algorithms.flatMap((each) => each.arguments).map((argument) => [argument.name, argument]));
  return [...byName.values(), NUM_CHAINS];
}

function findFunction(name: string): Algorithm | undefined {
  return /^(stan|engine)::services::/.test(name) ? findAlgorithm(name) : undefined;
}

function functionProblem(name: unknown): string {
  if (name === undefined) return 'is required';
  if (typeof name !== 'string') return 'must be a string';
  return `must be one of ${algorithms.map((algorithm) => algorithm.functionName).join(', ')}`;
}

function argumentSchema(argument: Argument): TSchema {
  const { name, type, ...rules } = argument;
  switch (argument.type) {
    case 'boolean':
      return Type.Boolean(rules);
    case 'string':
      return Type.Enum([...argument.choices], { default: argument.default });
    case 'array':
      return argument.depth === 1 ? Type.Array(Type.Number()) : Type.Array(Type.Array(Type.Number()));
    case 'integer':
      return Type.Integer(rules);
    default:
      return Type.Number(rules);
  }
}

function isObjectText(value: unknown): boolean {
  return value === undefined || (value instanceof JsonText && value.text.startsWith('{'));
}

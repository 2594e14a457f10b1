import type { Algorithm, Input } from '../../src/inference/algorithms/algorithm.js';
import type { Argument } from '../../src/inference/algorithms/arguments.js';
import { stepSizeAdaptationArguments, windowArguments } from '../../src/inference/algorithms/hmc/arguments.js';
import { optimizeArguments, quasiNewtonArguments } from '../../src/inference/algorithms/optimize/arguments.js';
import { algorithms, functionNames } from '../../src/inference/algorithms/registry.js';
import { variationalArguments } from '../../src/inference/algorithms/variational/arguments.js';
import type { ArgumentDescription } from '../../src/requests/function-description.js';
import { argumentsOf, describeFunction, requestName } from '../../src/requests/functions.js';
import { type Method, methods } from '../../src/requests/methods.js';

/** Writes the types of requests for fits from the tables of the algorithms. */

const HEADER = `/**
 * Requests for each function. \`npm run accept\` generates this file from the tables of the algorithms, and a test fails if the two differ.
 * \`Source\` is the type of a reference to a finished fit, \`Data\` that of the data.
 */
import type { Variables } from './variables.js';

type Numbers = readonly number[] | Float64Array;

/** Fields of every request. */
interface Common<Data> {
  /** Values of the data variables. */
  readonly data?: Data;
}

/** A request for a fit by one function: its name, data, some of the arguments, and inputs. */
type Request<Source, Data, Name extends string, Taken extends keyof FitArguments<Source>> = {
  readonly function: Name;
} & Arguments<Source, Data, Taken>;

/** Data, and some of the arguments and inputs. */
type Arguments<Source, Data, Taken extends keyof FitArguments<Source>> = Common<Data> &
  Partial<Pick<FitArguments<Source>, Taken>>;

`;

const INPUT_TYPES: Readonly<Record<Input, string>> = {
  init: 'Variables | Source',
  warm_start: 'Source',
  continue: 'Source',
  mode: 'Variables | Source',
  fitted_params: 'readonly Variables[] | Source',
};

export function fitRequests(): string {
  const requests = algorithms.map((algorithm) => `  | ${requestName(algorithm)}<Source, Data>`).join('\n');
  return [
    HEADER,
    argumentInterface(),
    ...GROUPS.map(groupType),
    ...algorithms.map(requestType),
    `/** A request for a fit: the function, and its fields (\`Client.functions\`). */\nexport type FitRequest<Source, Data = Variables> =\n${requests};\n\n`,
    ...methods.map(methodFields),
  ].join('');
}

/** Every argument, with the properties that functions state for it. */
function argumentInterface(): string {
  const fields = new Map<string, { readonly types: Set<string>; readonly descriptions: Set<string> }>();
  const say = (name: string, type: string, description: string) => {
    const field = fields.get(name) ?? { types: new Set(), descriptions: new Set() };
    field.types.add(type);
    field.descriptions.add(description);
    fields.set(name, field);
  };
  for (const algorithm of algorithms) {
    const described = describeFunction(algorithm);
    for (const { name, description } of described.inputs) say(name, INPUT_TYPES[name], description);
    for (const argument of described.arguments) say(argument.name, typeOf(argument), argument.description);
  }
  const lines = [...fields]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { types, descriptions }]) => {
      return `  /** ${[...descriptions].join(' Or: ')} */\n  readonly ${name}: ${[...types].join(' | ')};`;
    });
  return `/** Every argument and input of a function. */\nexport interface FitArguments<Source> {\n${lines.join('\n')}\n}\n\n`;
}

function typeOf(argument: ArgumentDescription): string {
  switch (argument.type) {
    case 'boolean':
      return 'boolean';
    case 'string':
      return argument.choices.map((choice) => `'${choice}'`).join(' | ');
    case 'array':
      if ('elements' in argument) return 'readonly string[]';
      return argument.depth === 1 ? 'Numbers' : 'readonly Numbers[]';
    default:
      return 'number';
  }
}

/** Names of all fields of a function. */
function fieldsOf(algorithm: Algorithm): string[] {
  return [...describeFunction(algorithm).inputs, ...argumentsOf(algorithm), { name: 'save' }].map(({ name }) => name);
}

/** Fields that several functions take together, under a name. */
interface Group {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly string[];
}

/** The fields that all of these functions take. */
function commonTo(chosen: readonly Algorithm[]): readonly string[] {
  return chosen.map(fieldsOf).reduce((common, fields) => common.filter((field) => fields.includes(field)));
}

function namesOf(rows: readonly Argument[]): readonly string[] {
  return rows.map(({ name }) => name);
}

/** Each group may contain earlier ones. */
const GROUPS: readonly Group[] = [
  { name: 'SharedFields', description: 'Fields of every request.', fields: commonTo(algorithms) },
  {
    name: 'StartFields',
    description: 'Fields of every function with initial values.',
    fields: commonTo(algorithms.filter(({ inputs }) => inputs.includes('init'))),
  },
  {
    name: 'HmcFields',
    description: 'Fields of every sampler of Hamiltonian Monte Carlo.',
    fields: commonTo(algorithms.filter(({ name }) => name.startsWith('hmc_'))),
  },
  {
    name: 'StepSizeFields',
    description: 'Arguments of the step-size adaptation.',
    fields: namesOf(stepSizeAdaptationArguments),
  },
  {
    name: 'WindowFields',
    description: 'Arguments that divide the warmup of an adapted metric.',
    fields: namesOf(windowArguments),
  },
  { name: 'IterationFields', description: 'Arguments of all optimizers.', fields: namesOf(optimizeArguments) },
  {
    name: 'LineSearchFields',
    description: 'Arguments of quasi-Newton methods.',
    fields: namesOf(quasiNewtonArguments),
  },
  {
    name: 'AdviFields',
    description: 'Arguments of variational inference.',
    fields: namesOf(variationalArguments),
  },
];

/** The union of the names of fields; complete groups are replaced by their names, largest first. */
function union(fields: readonly string[], groups: readonly Group[] = GROUPS): string {
  const rest = new Set(fields);
  const used: string[] = [];
  for (const group of groups.toReversed()) {
    if (group.fields.length < 2 || !group.fields.every((field) => rest.has(field))) continue;
    used.unshift(group.name);
    for (const field of group.fields) rest.delete(field);
  }
  return [...used, ...[...rest].map((name) => `'${name}'`)].join(' | ');
}

function groupType({ description, fields, name }: Group, index: number): string {
  return `/** ${description} */\ntype ${name} = ${union(fields, GROUPS.slice(0, index))};\n\n`;
}

function requestType(algorithm: Algorithm): string {
  const name = functionNames(algorithm)
    .map((each) => `'${each}'`)
    .join(' | ');
  const { inputs, description } = describeFunction(algorithm);
  const required = inputs.filter((input) => input.required).map((input) => `'${input.name}'`);
  const needs = required.length === 0 ? '' : ` & Pick<FitArguments<Source>, ${required.join(' | ')}>`;
  return `/** ${description} */\nexport type ${requestName(algorithm)}<Source, Data = Variables> = Request<Source, Data, ${name}, ${union(fieldsOf(algorithm))}>${needs};\n\n`;
}

/** All fields of a method's functions, and those that select the function. */
function methodFields({ algorithms, inputs, name, selectors }: Method): string {
  const functions = algorithms.map(describeFunction);
  const required = new Set(
    functions.flatMap((each) => each.inputs.filter((input) => input.required)).map((input) => input.name),
  );
  const taken = new Set([...inputs, ...functions.flatMap((each) => each.arguments.map((argument) => argument.name))]);
  const chosen = selectors
    .filter((selector) => !taken.has(selector.name))
    .map(
      (selector) => `  /** ${sentence(selector.description)} */\n  readonly ${selector.name}?: ${typeOf(selector)};\n`,
    );
  const choosing = chosen.length === 0 ? '' : ` & {\n${chosen.join('')}}`;
  const needs = [...required].map((input) => ` & Pick<FitArguments<Source>, '${input}'>`).join('');
  return `/** Fields of the method ${name}. */\nexport type ${typeName(name)}Fields<Source, Data = Variables> = Arguments<Source, Data, ${union([...taken])}>${needs}${choosing};\n\n`;
}

/** `DiagnoseGradient` of `diagnose_gradient`. */
function typeName(name: string): string {
  return name
    .split('_')
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join('');
}

function sentence(phrase: string): string {
  return `${phrase[0].toUpperCase()}${phrase.slice(1)}.`;
}

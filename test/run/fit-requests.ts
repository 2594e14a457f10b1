import type { Algorithm, Input } from '../../src/inference/algorithms/algorithm.js';
import { algorithms, functionNames } from '../../src/inference/algorithms/registry.js';
import type { ArgumentDescription } from '../../src/run/function-description.js';
import { argumentsOf, describeFunction, requestName } from '../../src/run/functions.js';
import { type Method, methods } from '../../src/run/methods.js';

/** Writes the types of requests for fits from the tables of the algorithms. */

const HEADER = `/**
 * What each function takes. Made from the tables of the algorithms by \`npm run accept\`; a test fails when it is out of step.
 * \`Source\` is how a finished fit is given, \`Data\` how the data are.
 */
import type { Variables } from './variables.js';

type Numbers = readonly number[] | Float64Array;

/** What every function takes beside its arguments. */
interface Common<Data> {
  /** Values of the data variables. */
  readonly data?: Data;
}

/** A request for a fit by one function: its name, data, some of the arguments, and inputs. */
type Request<Source, Data, Name extends string, Taken extends keyof FitArguments<Source>> = {
  readonly function: Name;
} & Common<Data> &
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
    `/** What every sampler of Hamiltonian Monte Carlo takes. */\ntype HmcFields = ${union(HMC_FIELDS)};\n\n`,
    ...algorithms.map(requestType),
    `/** A request for a fit: the function, and whatever that function takes (\`Client.functions\`). */\nexport type FitRequest<Source, Data = Variables> =\n${requests};\n\n`,
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

/** Names of all that a function takes. */
function fieldsOf(algorithm: Algorithm): string[] {
  return [...describeFunction(algorithm).inputs, ...argumentsOf(algorithm), { name: 'save' }].map(({ name }) => name);
}

function isHmc({ name }: Algorithm): boolean {
  return name.startsWith('hmc_');
}

const HMC_FIELDS = algorithms
  .filter(isHmc)
  .map(fieldsOf)
  .reduce((common, fields) => common.filter((field) => fields.includes(field)));

function union(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(' | ');
}

function requestType(algorithm: Algorithm): string {
  const name = functionNames(algorithm)
    .map((each) => `'${each}'`)
    .join(' | ');
  const { inputs, description } = describeFunction(algorithm);
  const required = inputs.filter((input) => input.required).map((input) => `'${input.name}'`);
  const fields = fieldsOf(algorithm);
  const taken = isHmc(algorithm)
    ? ['HmcFields', ...fields.filter((field) => !HMC_FIELDS.includes(field)).map((field) => `'${field}'`)].join(' | ')
    : union(fields);
  const needs = required.length === 0 ? '' : ` & Pick<FitArguments<Source>, ${required.join(' | ')}>`;
  return `/** ${description} */\nexport type ${requestName(algorithm)}<Source, Data = Variables> = Request<Source, Data, ${name}, ${taken}>${needs};\n\n`;
}

/** Every field that one of a method's functions takes, and those that choose the function. */
function methodFields({ algorithms, inputs, name, selectors }: Method): string {
  const functions = algorithms.map(describeFunction);
  const required = new Set(
    functions.flatMap((each) => each.inputs.filter((input) => input.required)).map((input) => input.name),
  );
  const taken = new Set([...inputs, ...functions.flatMap((each) => each.arguments.map((argument) => argument.name))]);
  const fields = [...taken].map((field) => `'${field}'`).join(' | ');
  const chosen = selectors
    .filter((selector) => !taken.has(selector.name))
    .map(
      (selector) => `  /** ${sentence(selector.description)} */\n  readonly ${selector.name}?: ${typeOf(selector)};\n`,
    );
  const choosing = chosen.length === 0 ? '' : ` & {\n${chosen.join('')}}`;
  const needs = [...required].map((input) => ` & Pick<FitArguments<Source>, '${input}'>`).join('');
  return `/** What the method ${name} takes. */\nexport type ${typeName(name)}Fields<Source, Data = Variables> = Common<Data> & Partial<Pick<FitArguments<Source>, ${fields}>>${needs}${choosing};\n\n`;
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

import type { Algorithm, Input } from '../../src/inference/algorithms/algorithm.js';
import { algorithms } from '../../src/inference/algorithms/registry.js';
import { argumentsOf } from '../../src/run/function-arguments.js';
import { describeFunction, requestName } from '../../src/service/jobs/fit-request.js';
import type { ArgumentResource } from '../../src/service/schemas.js';

/** Writes the client's types of requests for fits from the tables of the algorithms. */

const HEADER = `/** What each function takes. Made from the tables of the algorithms by \`npm run accept\`; a test fails when it is out of step. */
import type { Variables } from './types.js';

type Numbers = readonly number[] | Float64Array;

/** A request for a fit by one function: its name, data, some of the arguments, and inputs. */
type Request<Name extends string, Taken extends keyof FitArguments> = {
  readonly function: \`stan::services::\${Name}\` | \`engine::services::\${Name}\`;
  /** Values of the data variables. */
  readonly data?: Variables;
} & Partial<Pick<FitArguments, Taken>>;

`;

const INPUT_TYPES: Readonly<Record<Input, string>> = {
  init: 'Variables | string',
  mode: 'Variables | string',
  fitted_params: 'readonly Variables[] | string',
};

export function fitRequests(): string {
  const union = algorithms.map((algorithm) => `  | ${requestName(algorithm)}`).join('\n');
  return [
    HEADER,
    argumentInterface(),
    ...algorithms.map(requestType),
    `/** A request for a fit: the function, and whatever that function takes (\`Client.functions\`). */\nexport type FitRequest =\n${union};\n`,
  ].join('');
}

/** Every argument there is, with all that functions say of it. */
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
  return `/** Every argument and input of a function. */\nexport interface FitArguments {\n${lines.join('\n')}\n}\n\n`;
}

function typeOf(argument: ArgumentResource): string {
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

function requestType(algorithm: Algorithm): string {
  const name = algorithm.functionName.replace(/^stan::services::/, '');
  const { inputs, description } = describeFunction(algorithm);
  const required = inputs.filter((input) => input.required).map((input) => `'${input.name}'`);
  const taken = [...inputs, ...argumentsOf(algorithm), { name: 'save' }].map((field) => `'${field.name}'`);
  const needs = required.length === 0 ? '' : ` & Pick<FitArguments, ${required.join(' | ')}>`;
  return `/** ${description} */\nexport type ${requestName(algorithm)} = Request<'${name}', ${taken.join(' | ')}>${needs};\n\n`;
}

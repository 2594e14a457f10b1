/** Generates code that repeats a run in Python, R, a shell and TypeScript. */
import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';
import { givenArguments } from '../run/functions.js';
import { initialValuesOf, problemWithInitialValues } from '../run/sources.js';
import { untilOf } from '../run/until-settings.js';
import type { RunSettings } from '../state/project.js';
import { functionNames, type OtherNames } from './code-names.js';

export interface Code {
  readonly language: string;
  readonly text: string;
}

/** `address` is the server's address, such as `http://127.0.0.1:8080`. */
export function codeFor(settings: RunSettings, address: string): readonly Code[] {
  const given = Object.entries(givenArguments(settings)).filter(([name]) => name !== 'refresh');
  return [
    { language: 'CmdStanPy', text: python(settings, given) },
    { language: 'cmdstanr', text: r(settings, given) },
    { language: 'curl', text: shell(settings, given, address) },
    { language: 'TypeScript', text: typescript(settings, given) },
  ];
}

type Given = readonly (readonly [name: string, value: ArgumentValue])[];

function python(settings: RunSettings, given: Given): string {
  const call = callOf(settings, given, 'python', { true: 'True', false: 'False' });
  if ('missing' in call) return `# ${call.missing} is not offered by CmdStanPy.\n`;
  // JSON without true, false and null is valid Python. Initial values contain none of the three.
  const init = initialTextOf(settings);
  return [
    'from cmdstanpy import CmdStanModel',
    '',
    'model = CmdStanModel(stan_file="model.stan")',
    ...[...call.left, ...Object.keys(untilOf(settings))].map((name) => `# CmdStanPy has no argument for ${name}.`),
    ...(init === undefined ? [] : [`inits = ${init}`]),
    `fit = model.${call.method}(`,
    ...['data="data.json"', ...call.arguments, ...(init === undefined ? [] : ['inits=inits'])].map(
      (argument) => `    ${argument},`,
    ),
    ')',
    call.method === 'optimize'
      ? 'print(fit.optimized_params_dict)'
      : call.method === 'sample'
        ? 'print(fit.summary())'
        : '',
    '',
  ]
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
    .join('\n');
}

function r(settings: RunSettings, given: Given): string {
  const call = callOf(settings, given, 'r', { true: 'TRUE', false: 'FALSE' });
  if ('missing' in call) return `# ${call.missing} is not offered by cmdstanr.\n`;
  const init = initialTextOf(settings);
  const all = [
    'data = "data.json"',
    ...call.arguments.map((argument) => argument.replace('=', ' = ')),
    ...(init === undefined ? [] : ['init = inits']),
  ];
  return [
    'library(cmdstanr)',
    '',
    'model <- cmdstan_model("model.stan")',
    ...[...call.left, ...Object.keys(untilOf(settings))].map((name) => `# cmdstanr has no argument for ${name}.`),
    ...(init === undefined
      ? []
      : [
          `values <- jsonlite::fromJSON(${JSON.stringify(init)})`,
          `inits <- ${call.method === 'sample' ? 'function() values' : 'list(values)'}`,
        ]),
    `fit <- model$${call.method}(`,
    all.map((argument) => `  ${argument}`).join(',\n'),
    ')',
    'fit$summary()',
    '',
  ].join('\n');
}

interface Call {
  readonly method: string;
  /** `name=value` in the syntax of the language. */
  readonly arguments: readonly string[];
  /** Arguments that the language's package does not support. */
  readonly left: readonly string[];
}

function callOf(
  { functionName }: RunSettings,
  given: Given,
  language: 'python' | 'r',
  words: { readonly true: string; readonly false: string },
): Call | { readonly missing: string } {
  const found = functionNames.find(({ pattern }) => pattern.test(functionName));
  if (found === undefined) return { missing: functionName };
  const names: OtherNames = found[language];
  const literal = (value: ArgumentValue) => {
    if (typeof value === 'boolean') return words[`${value}`];
    return typeof value === 'number' ? `${value}` : JSON.stringify(value);
  };
  const chosen = Object.entries(found.chosen(found.pattern.exec(functionName)?.groups ?? {})).map(
    ([name, value]) => `${name}=${/^\d+$/.test(`${value}`) ? value : literal(value)}`,
  );
  const known = given.filter(([name]) => names.arguments[name] !== undefined);
  return {
    method: names.method,
    arguments: [...chosen, ...known.map(([name, value]) => `${names.arguments[name]}=${literal(value)}`)],
    left: given.filter(([name]) => names.arguments[name] === undefined).map(([name]) => name),
  };
}

/** The settings' initial values as one line of JSON; undefined if they are missing or invalid. */
export function initialTextOf(settings: RunSettings): string | undefined {
  const { initialValues } = settings;
  if (initialValues === undefined || problemWithInitialValues(initialValues) !== undefined) return undefined;
  const { init } = initialValuesOf(settings);
  return init === undefined ? undefined : JSON.stringify(init);
}

function shell(settings: RunSettings, given: Given, address: string): string {
  const init = initialTextOf(settings);
  const request = JSON.stringify({
    function: settings.functionName,
    ...Object.fromEntries(given),
    ...untilOf(settings),
    ...(init !== undefined && { init: JSON.parse(init) }),
  });
  return `BASE=${address}/v1
JSON='Content-Type: application/json'

# The program becomes a model; jq writes the requests and reads the answers.
MODEL=$(jq -n --rawfile code model.stan '{program_code: $code}' |
  curl -s $BASE/models -H "$JSON" -d @- | jq -r .name)

# The fit is made in the background.
OPERATION=$(jq -n --slurpfile data data.json '${request} + {data: $data[0]}' |
  curl -s $BASE/$MODEL/fits -H "$JSON" -d @- | jq -r .name)
until curl -s $BASE/$OPERATION | jq -e .done >/dev/null; do sleep 0.5; done

# A summary of its draws, and all of them.
FIT=$(curl -s $BASE/$OPERATION | jq -r .metadata.fit.name)
curl -s $BASE/$FIT/summary
curl -s "$BASE/$FIT?format=csv" -o draws.csv
`;
}

function typescript(settings: RunSettings, given: Given): string {
  const init = initialTextOf(settings);
  const members = [
    `function: '${settings.functionName}'`,
    'data',
    ...(init === undefined ? [] : [`init: ${init}`]),
    ...given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...Object.entries(untilOf(settings)).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  ];
  return `import { readFileSync } from 'node:fs';
import { compile } from 'leapfrog';

const model = await compile(readFileSync('model.stan', 'utf8'));
const data = readFileSync('data.json', 'utf8');
const fit = await model
  .run({
${members.map((member) => `    ${member},`).join('\n')}
  })
  .result();
for (const { name, mean, sd } of await fit.summary()) console.log(name, mean, sd);
`;
}

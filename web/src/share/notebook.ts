/** Generates notebooks that repeat a run with the package for Python or R. They contain the program, data, settings and seed. */

import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';
import { type Method, methods } from '#engine/requests/methods.js';
import type { Until } from '#engine/requests/until.js';
import { algorithmOf, givenArguments } from '../run/functions.js';
import { untilOf } from '../run/until-settings.js';
import type { Project, RunSettings } from '../state/project.js';
import { t } from '../words/messages.js';
import { initialTextOf } from './code.js';

export type NotebookLanguage = 'Python' | 'R';
export type NotebookForm = 'Jupyter' | 'Quarto';

interface Cell {
  readonly kind: 'markdown' | 'code';
  readonly text: string;
}

type Content = Pick<Project, 'name' | 'about' | 'program' | 'includes' | 'data' | 'settings'>;

/** The notebook's text. Throws an `Error` with the reason if the packages cannot repeat the run. */
export function notebookText(project: Content, language: NotebookLanguage, form: NotebookForm): string {
  const cells = cellsOf(project, language);
  return form === 'Jupyter' ? jupyterText(cells, language) : quartoText(cells, language, project.name);
}

export const EXTENSIONS: Readonly<Record<NotebookForm, string>> = { Jupyter: 'ipynb', Quarto: 'qmd' };

function cellsOf(project: Content, language: NotebookLanguage): readonly Cell[] {
  const { name, about } = project;
  const call = callOf(project.settings);
  const code = language === 'Python' ? pythonCells(project, call) : rCells(project, call);
  const install = language === 'Python' ? 'pip install leapfrog-stan' : 'the package leapfrog';
  return [
    { kind: 'markdown', text: `# ${name}${about === '' ? '' : `\n\n${about}`}\n\nThis notebook requires ${install}.` },
    ...code.map((text): Cell => ({ kind: 'code', text })),
  ];
}

interface Call {
  readonly method: Method['name'];
  readonly arguments: readonly (readonly [name: string, value: ArgumentValue])[];
  /** JSON text. */
  readonly initialValues: string | undefined;
  readonly until: Until | undefined;
}

/** Names of our arguments in the packages, if different. */
const NAMES: Readonly<Record<string, string>> = {
  num_chains: 'chains',
  random_seed: 'seed',
  num_warmup: 'iter_warmup',
  num_samples: 'iter_sampling',
  delta: 'adapt_delta',
  max_depth: 'max_treedepth',
  stepsize: 'step_size',
  num_thin: 'thin',
  output_samples: 'draws',
};

const METHODS: readonly Method['name'][] = ['sample', 'optimize', 'variational', 'pathfinder'];

function callOf(settings: RunSettings): Call {
  const algorithm = algorithmOf(settings);
  const method = methods.find(({ algorithms, name }) => METHODS.includes(name) && algorithms.includes(algorithm));
  if (method === undefined || Object.keys(settings.sources ?? {}).length > 0) throw new Error(t('files.notInPackages'));
  const isSingle = algorithm.name === 'pathfinder_lbfgs_single';
  const draws = isSingle ? 'num_draws' : 'num_psis_draws';
  const nameOf = (name: string) => (method.name === 'pathfinder' && name === draws ? 'draws' : (NAMES[name] ?? name));
  const given = Object.entries(givenArguments(settings)).filter(([name]) => name !== 'refresh');
  return {
    method: method.name,
    arguments: [
      ...selectionFor(method, algorithm.name),
      ...(isSingle ? ([['num_paths', 1]] as const) : []),
      ...given.map(([name, value]) => [nameOf(name), value] as const),
    ],
    initialValues: initialTextOf(settings),
    until: untilOf(settings).until,
  };
}

/** The method's selectors that differ from their defaults and select an algorithm by its short name. */
function selectionFor({ choose, selectors }: Method, name: string): Call['arguments'] {
  const combinations = selectors.reduce<readonly Readonly<Record<string, ArgumentValue>>[]>(
    (before, selector) => {
      const values = selector.type === 'string' ? selector.choices : [true, false];
      return before.flatMap((chosen) => values.map((value) => ({ ...chosen, [selector.name]: value })));
    },
    [{}],
  );
  const found = combinations.find((each) => choose(each) === name) ?? {};
  return Object.entries(found).filter(
    ([selector, value]) => selectors.find((each) => each.name === selector)?.default !== value,
  );
}

function pythonCells({ data, includes, program }: Content, call: Call): readonly string[] {
  const files = includes.map(({ name, text }) => `    ${JSON.stringify(name)}: ${pythonText(text)},`);
  const compile =
    includes.length === 0
      ? 'model = leapfrog.compile(program)'
      : `includes = {\n${files.join('\n')}\n}\nmodel = leapfrog.compile(program, includes=includes)`;
  const given = [
    'data',
    ...call.arguments.map(([name, value]) => `${name}=${pythonLiteral(value)}`),
    // JSON without true, false and null is valid Python. These values contain none of the three.
    ...(call.until === undefined ? [] : [`until=${JSON.stringify(call.until)}`]),
    ...(call.initialValues === undefined ? [] : [`inits=${call.initialValues}`]),
  ];
  return [
    `import json\n\nimport leapfrog\n\nprogram = ${pythonText(program)}\n${compile}`,
    `data = json.loads(${pythonText(data)})`,
    `fit = model.${call.method}(\n${given.map((each) => `    ${each},`).join('\n')}\n)`,
    'fit',
  ];
}

function pythonLiteral(value: ArgumentValue): string {
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
}

function rLiteral(value: ArgumentValue): string {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (!Array.isArray(value)) return JSON.stringify(value);
  const isMatrix = Array.isArray(value[0]);
  return `${isMatrix ? 'rbind' : 'c'}(${value.map(rLiteral).join(', ')})`;
}

/** A Python string literal, over several lines if the text allows it. */
function pythonText(text: string): string {
  return text.includes('"""') || /["\\]$/.test(text) ? JSON.stringify(text) : `r"""${text}"""`;
}

function rCells({ data, includes, program }: Content, call: Call): readonly string[] {
  const files = includes.map(
    ({ name, text }) => `writeLines(${rText(text)}, file.path(folder, ${JSON.stringify(name)}))`,
  );
  const paths = includes.length === 0 ? '' : ', include_paths = folder';
  const given = [
    'data = data',
    ...call.arguments.map(([name, value]) => `${name} = ${rLiteral(value)}`),
    ...(call.until === undefined ? [] : [`until = ${rRule(call.until)}`]),
    ...(call.initialValues === undefined ? [] : ['init = init']),
  ];
  return [
    [
      'library(leapfrog)',
      '',
      `program <- ${rText(program)}`,
      ...(includes.length === 0 ? [] : ['folder <- tempfile("includes")', 'dir.create(folder)', ...files]),
      `model <- leapfrog_model(program${paths})`,
    ].join('\n'),
    `data <- tempfile(fileext = ".json")\nwriteLines(${rText(data)}, data)`,
    [
      ...(call.initialValues === undefined ? [] : [`init <- jsonlite::fromJSON(${rText(call.initialValues)})`]),
      `fit <- model$${call.method}(\n${given.map((each) => `  ${each}`).join(',\n')}\n)`,
    ].join('\n'),
    'fit',
  ];
}

/** A list with arrays as lists, because a vector with one element would be sent as a scalar. */
function rRule(until: Until): string {
  const members = Object.entries(until).map(([name, value]) => {
    const text = Array.isArray(value) ? `list(${value.map((each) => JSON.stringify(each)).join(', ')})` : value;
    return `${name} = ${text}`;
  });
  return `list(${members.join(', ')})`;
}

/** A raw string of R 4, with the number of hyphens that its text requires. */
function rText(text: string): string {
  let hyphens = '';
  while (text.includes(`)${hyphens}"`)) hyphens += '-';
  return `r"${hyphens}(${text})${hyphens}"`;
}

const KERNELS = {
  Python: { display_name: 'Python 3', language: 'python', name: 'python3' },
  R: { display_name: 'R', language: 'R', name: 'ir' },
} as const;

/** Jupyter's notebook format 4.5. */
function jupyterText(cells: readonly Cell[], language: NotebookLanguage): string {
  const notebook = {
    cells: cells.map(({ kind, text }, index) => ({
      cell_type: kind,
      id: `cell-${index + 1}`,
      metadata: {},
      source: text,
      ...(kind === 'code' && { execution_count: null, outputs: [] }),
    })),
    metadata: { kernelspec: KERNELS[language] },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return `${JSON.stringify(notebook, null, 1)}\n`;
}

function quartoText(cells: readonly Cell[], language: NotebookLanguage, title: string): string {
  const engine = language === 'Python' ? 'jupyter: python3' : 'engine: knitr';
  const blocks = cells.map(({ kind, text }, index) => {
    // The title is in the header.
    if (kind === 'markdown') return index === 0 ? text.replace(/^# .*\n+/, '') : text;
    let fence = '```';
    while (text.includes(fence)) fence += '`';
    return `${fence}{${language === 'Python' ? 'python' : 'r'}}\n${text}\n${fence}`;
  });
  return `---\ntitle: ${JSON.stringify(title)}\n${engine}\n---\n\n${blocks.join('\n\n')}\n`;
}

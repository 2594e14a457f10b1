import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import {
  FUNCTION_CASES,
  MODEL_CASES,
  type ModelCase,
  readLines,
  SYNTAX_CASES,
  unpackModels,
  writeLines,
} from './stan.js';

/** Maintains the recorded cases of real Stan: `docs/reference-cases.md` describes how they are recorded. */
const program: Command = new Command('reference').description(
  'Adds cases recorded with real Stan, or unpacks the models.',
);

const FILES = new Map([...FUNCTION_CASES, ...SYNTAX_CASES].map((path) => [basename(path, '.jsonl.gz'), path]));
const MODEL_FILES = ['model.stan', 'data.json', 'expected.json', 'posterior.json'];

program
  .command('add-models <folder...>')
  .description('add folders with model.stan, data.json, expected.json and, if there, posterior.json')
  .action((folders: readonly string[]) =>
    merge(
      MODEL_CASES,
      'name',
      folders.map(readModel).map((model) => JSON.stringify(model)),
    ),
  );

program
  .command('add-cases <set> <file>')
  .description(`add cases, one JSON object a line, to one of the sets ${[...FILES.keys()].join(', ')}`)
  .action((set: string, file: string) => {
    const path = FILES.get(set);
    if (path === undefined) program.error(`There is no set "${set}". The sets are ${[...FILES.keys()].join(', ')}.`);
    merge(path, 'id', readLines(file));
  });

program
  .command('unpack <folder>')
  .description('write every recorded model into a separate folder below this one')
  .action(unpackModels);

function readModel(folder: string): ModelCase {
  const present = MODEL_FILES.filter((file) => existsSync(join(folder, file)));
  const missing = MODEL_FILES.slice(0, 3).filter((file) => !present.includes(file));
  if (missing.length > 0) {
    program.error(`${folder} lacks ${missing.join(', ')}; it has ${readdirSync(folder).join(', ')}.`);
  }
  const files = present.map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
  return { name: basename(folder), files: Object.fromEntries(files) };
}

/** New cases, one per line, replace recorded ones of the same name; other cases are appended. */
function merge(path: string, key: 'id' | 'name', added: readonly string[]): void {
  const nameOf = (line: string): string => JSON.parse(line)[key];
  const recorded = existsSync(path) ? readLines(path) : [];
  const lines = new Map([...recorded, ...added].map((line) => [nameOf(line), line]));
  writeLines(path, [...lines.values()]);
  console.log(`${basename(path)}: ${lines.size} cases`);
}

program.parse();

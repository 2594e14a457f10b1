/** The folder that interfaces use as CmdStan. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeCommand, nodeScript } from './executable.js';
import { makefileText } from './makefile.js';
import { toolsEntry } from './places.js';

/** Scripts in `bin` and the tools that they run. */
const TOOLS: ReadonlyMap<string, string> = new Map([
  ['stanc', 'stanc'],
  ['stansummary', 'stansummary'],
  ['diagnose', 'diagnose'],
  ['print', 'print'],
  ['make', 'make'],
]);

const EXAMPLE = `data {
  int<lower=0> N;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real<lower=0, upper=1> theta;
}
model {
  theta ~ beta(1, 1);
  y ~ bernoulli(theta);
}
`;

/** Make targets that are tools. */
export const TOOL_TARGETS: readonly string[] = [...TOOLS.keys()].map((name) => `bin/${name}`);

/** Creates or updates a home. Does not change the user's own files. */
export function layOutHome(folder: string): void {
  for (const name of ['bin', 'make', 'examples/bernoulli']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'makefile'), makefileText(TOOL_TARGETS, nodeCommand(toolsEntry(), 'tools .')));
  writeTools(folder);
  const example = join(folder, 'examples', 'bernoulli');
  writeUnlessThere(join(example, 'bernoulli.stan'), EXAMPLE);
  writeUnlessThere(join(example, 'bernoulli.data.json'), '{ "N": 10, "y": [0, 1, 0, 0, 0, 0, 0, 0, 0, 1] }\n');
}

/** Writes the scripts of the tools. */
export function writeTools(folder: string): void {
  for (const [name, tool] of TOOLS) {
    const path = join(folder, 'bin', name);
    writeFileSync(path, nodeScript(toolsEntry(), tool));
    chmodSync(path, 0o755);
  }
}

function writeUnlessThere(path: string, text: string): void {
  if (!existsSync(path)) writeFileSync(path, text);
}

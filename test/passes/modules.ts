/**
 * Prints a digest of the module and artifact of each reference model, with and without second derivatives, and the processor time. A change that must
 * not alter generated code prints the same digests before and after. Usage: `node dist/test/passes/modules.js [--only REGEX]`
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { compile, isCompiled } from '../../src/compile.js';
import { loadKernels } from '../../src/node/kernels.js';
import { PROGRAMS } from '../gradients/programs.js';
import { MODEL_CASES, type ModelCase, readCases } from '../reference/stan.js';

const { library } = loadKernels();
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const only = new RegExp(values.only);

const programs: readonly (readonly [name: string, text: string])[] = [
  ...Object.entries(PROGRAMS),
  ...readCases<ModelCase>(MODEL_CASES).map(({ name, files }) => [name, files['model.stan']] as const),
];

function digestOf(text: string, secondDerivatives: boolean): string {
  const result = compile(text, library, { secondDerivatives });
  if (!isCompiled(result)) return result.text.split('\n')[0];
  const hash = createHash('sha256').update(result.wasm).update(JSON.stringify(result.artifact));
  return `${hash.digest('hex').slice(0, 16)} ${result.wasm.length}`;
}

const start = process.cpuUsage();
for (const [name, text] of programs) {
  if (!only.test(name)) continue;
  for (const second of [false, true])
    console.log(`${name}${second ? ' (second derivatives)' : ''}: ${digestOf(text, second)}`);
}
const { user, system } = process.cpuUsage(start);
console.error(`${((user + system) / 1e6).toFixed(1)} s of processor time`);

import { analyze } from '../analyze.js';
import { compile, isCompiled } from '../compile.js';
import { loadKernels } from '../node/kernels.js';
import { printProblem } from '../node/standard-streams.js';
import { MAKE_FLAGS, writeExecutable } from './executable.js';
import { modelEntry } from './places.js';
import type { StancWords } from './stanc-options.js';
import { report, type StancProgram } from './stanc-program.js';

/** Writes the executable of a program or prints the program's errors, and returns the exit code. */
export function buildExecutable(program: StancProgram, { flags, given, values }: StancWords): number {
  const options = { name: program.name, includes: new Map(Object.entries(program.includes)) };
  const result = compile(program.text, loadKernels().library, options);
  if (!isCompiled(result)) {
    printProblem(`${result.text}\n`);
    return 1;
  }
  const pedantic = flags.has('warn-pedantic');
  report({
    errors: [],
    warnings: pedantic ? analyze(program.text, { ...options, pedantic }).warnings : result.warnings,
  });
  const set = (values.get('executable') ?? '').split(' ');
  const model = {
    name: program.modelName,
    artifact: JSON.stringify(result.artifact),
    source: { name: program.name, program: program.text, includes: program.includes },
    stancFlags: given.join(' '),
    makeFlags: MAKE_FLAGS.filter((flag) => set.some((each) => each.startsWith(`${flag}=`) && each !== `${flag}=`)),
  };
  const path = values.get('output') ?? program.path.replace(/\.stan$/, '');
  writeExecutable(path, { model, wasm: new Uint8Array(result.wasm) }, modelEntry());
  return 0;
}

/** What `make` runs to make an executable of a program. */
import { analyze } from '../analyze.js';
import { compile, isCompiled } from '../compile.js';
import { loadKernels } from '../node/kernels.js';
import { UnreadableFile } from '../node/program-files.js';
import { MAKE_FLAGS, writeExecutable } from './executable.js';
import { modelEntry } from './places.js';
import { readStancProgram, report } from './stanc.js';
import { readStancWords } from './stanc-options.js';

/** `build EXECUTABLE 'STAN_THREADS=… …' STANC-OPTIONS… PROGRAM`: variables of the makefile are set when they are not empty. */
export function runBuild([path, variables, ...words]: readonly string[]): number {
  const read = readStancWords(words);
  if ('problem' in read) return refuse(`stanc: ${read.problem}`);
  try {
    const program = readStancProgram(read);
    const options = { name: program.name, includes: new Map(Object.entries(program.includes)) };
    const result = compile(program.text, loadKernels().library, options);
    if (!isCompiled(result)) return refuse(result.text);
    const pedantic = read.flags.has('warn-pedantic');
    report({
      errors: [],
      warnings: pedantic ? analyze(program.text, { ...options, pedantic }).warnings : result.warnings,
    });
    const set = variables.split(' ');
    const model = {
      name: program.modelName,
      artifact: JSON.stringify(result.artifact),
      stancFlags: words.filter((word) => word.startsWith('-') && word !== '-').join(' '),
      makeFlags: MAKE_FLAGS.filter((flag) => set.some((each) => each.startsWith(`${flag}=`) && each !== `${flag}=`)),
    };
    writeExecutable(path, { model, wasm: new Uint8Array(result.wasm) }, modelEntry());
    return 0;
  } catch (error) {
    if (error instanceof UnreadableFile) return refuse(error.message);
    throw error;
  }
}

function refuse(problem: string): number {
  process.stderr.write(`${problem}\n`);
  return 1;
}

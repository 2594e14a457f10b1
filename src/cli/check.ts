import { Command } from 'commander';
import { readProgram } from '../node/program-files.js';
import { printData, printProblem } from '../node/standard-streams.js';
import { renderDiagnostic } from '../source/render.js';
import { includePathOption } from './program.js';

interface CheckFlags {
  readonly includePath: readonly string[];
  readonly pedantic: boolean;
  readonly info: boolean;
}

/** `leapfrog check`: the compiler's errors and warnings, without compiling. */
export function checkCommand(): Command {
  return new Command('check')
    .description("Check programs. Errors and warnings go to standard error, in stanc's format.")
    .argument('<program...>', 'files with Stan programs; - for standard input')
    .addOption(includePathOption())
    .option('--pedantic', 'also warn about likely mistakes', false)
    .option('--info', 'print what the program declares and calls, as JSON', false)
    .addHelpText(
      'after',
      '\nThe exit code is 1 when a program has an error.\n\nExamples:\n' +
        '  $ leapfrog check model.stan\n' +
        '  $ leapfrog check --pedantic --include-path lib models/*.stan\n' +
        '  $ leapfrog check --info model.stan',
    )
    .action(async (paths: string[], flags: CheckFlags) => {
      for (const path of paths) if (!(await check(path, flags))) process.exitCode = 1;
    });
}

async function check(path: string, { includePath, pedantic, info }: CheckFlags): Promise<boolean> {
  const { analyze } = await import('../analyze.js');
  const { name, program, includes } = readProgram(path, includePath);
  const found = analyze(program, { name, includes: new Map(Object.entries(includes)), pedantic, unsupported: true });
  for (const diagnostic of [...found.warnings, ...found.errors]) {
    printProblem(`${renderDiagnostic(diagnostic)}\n\n`);
  }
  if (info && found.info !== undefined) printData(`${JSON.stringify(found.info, null, 2)}\n`);
  return found.errors.length === 0;
}

import { Command } from 'commander';
import { readProgram } from '../../node/program-files.js';
import { printData, printProblem } from '../../node/standard-streams.js';
import { renderDiagnostic } from '../../source/render.js';
import { includePathOption } from '../options/program.js';

interface CheckFlags {
  readonly includePath: readonly string[];
  readonly pedantic: boolean;
  readonly info: boolean;
  readonly explain: boolean;
  readonly json: boolean;
}

/** `leapfrog check`: prints the compiler's errors and warnings without compiling. */
export function checkCommand(): Command {
  return new Command('check')
    .description("Check programs. Errors and warnings go to standard error, in stanc's format.")
    .argument('<program...>', 'files with Stan programs; - for standard input')
    .addOption(includePathOption())
    .option('--pedantic', 'also warn about likely mistakes', false)
    .option('--info', 'print the declarations and calls of the program as JSON', false)
    .option('--explain', 'print the cost of each statement that adds to target', false)
    .option('--json', 'print the costs as JSON', false)
    .addHelpText(
      'after',
      '\nThe exit code is 1 if a program has an error.\n\nExamples:\n' +
        '  $ leapfrog check model.stan\n' +
        '  $ leapfrog check --pedantic --include-path lib models/*.stan\n' +
        '  $ leapfrog check --info model.stan\n' +
        '  $ leapfrog check --explain model.stan',
    )
    .action(async (paths: string[], flags: CheckFlags) => {
      for (const path of paths) if (!(await check(path, flags))) process.exitCode = 1;
    });
}

async function check(path: string, { explain, includePath, info, json, pedantic }: CheckFlags): Promise<boolean> {
  const { analyze } = await import('../../analyze.js');
  const { name, program, includes } = readProgram(path, includePath);
  const found = analyze(program, { name, includes: new Map(Object.entries(includes)), pedantic, unsupported: true });
  for (const diagnostic of [...found.warnings, ...found.errors]) {
    printProblem(`${renderDiagnostic(diagnostic)}\n\n`);
  }
  if (info && found.info !== undefined) printData(`${JSON.stringify(found.info, null, 2)}\n`);
  if (explain && found.errors.length === 0) await printCosts(name, program, includes, json);
  return found.errors.length === 0;
}

/** Prints the costs of a program. If it cannot be compiled, warnings have already reported the reason. */
async function printCosts(
  name: string,
  program: string,
  includes: Readonly<Record<string, string>>,
  json: boolean,
): Promise<void> {
  const [{ costDetail, explain }, { costsText }] = await Promise.all([
    import('../../explain.js'),
    import('../tables/costs-text.js'),
  ]);
  const costs = explain(program, { name, includes: new Map(Object.entries(includes)) })?.map(costDetail);
  if (costs === undefined) return;
  printData(json ? `${JSON.stringify(costs, null, 2)}\n` : costsText(costs));
}

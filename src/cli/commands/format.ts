import { realpath, stat } from 'node:fs/promises';
import { Command } from 'commander';
import { readProgram } from '../../node/program-files.js';
import { printData, printProblem } from '../../node/standard-streams.js';
import { writeAtomically } from '../../service/store/files.js';
import { renderDiagnostic } from '../../source/render.js';
import { CommandError, writingLater } from '../errors.js';
import { includePathOption } from '../options/program.js';

interface FormatFlags {
  readonly includePath: readonly string[];
  readonly write: boolean;
}

/** `leapfrog format`: formats programs like stanc's auto-format. */
export function formatCommand(): Command {
  return new Command('format')
    .description('Format programs as stanc --auto-format does, to standard output or in place.')
    .argument('<program...>', 'files with Stan programs; - for standard input')
    .addOption(includePathOption())
    .option('--write', 'format the files in place', false)
    .addHelpText(
      'after',
      '\nThe exit code is 1 if a program has syntax errors. Its file is then unchanged.\n\nExamples:\n' +
        '  $ leapfrog format model.stan\n' +
        '  $ leapfrog format --write models/*.stan\n' +
        '  $ leapfrog format - < model.stan',
    )
    .action(async (paths: string[], flags: FormatFlags) => {
      if (flags.write && paths.includes('-'))
        throw new CommandError('error: --write requires a file instead of standard input');
      for (const path of paths) if (!(await format(path, flags))) process.exitCode = 1;
    });
}

async function format(path: string, { includePath, write }: FormatFlags): Promise<boolean> {
  const { analyze } = await import('../../analyze.js');
  const { name, program, includes } = readProgram(path, includePath);
  const { errors, formatted } = analyze(program, { name, includes: new Map(Object.entries(includes)) });
  if (formatted === undefined) {
    for (const diagnostic of errors) printProblem(`${renderDiagnostic(diagnostic)}\n\n`);
    return false;
  }
  if (!write) printData(formatted);
  else if (formatted !== program) await writingLater(path, () => replace(path, formatted));
  return true;
}

/** Replaces the contents of a file. If the path is a symbolic link, replaces its target. */
async function replace(path: string, content: string): Promise<void> {
  const file = await realpath(path);
  await writeAtomically(file, content, (await stat(file)).mode);
}

/** The commands. The modules of each are loaded on demand. */
import type { Command } from 'commander';
import { printProblem, printText } from '../node/standard-streams.js';
import { withInputLimit } from './options/input-limit.js';
import { type Method, methods } from './options/methods.js';

const CONSOLE = { writeOut: printText, writeErr: printProblem };

type Load = (version: string) => Promise<Command>;

/** Modules of the commands by name, in the order of the help. */
const LOADERS: ReadonlyMap<string, Load> = new Map([
  ['serve', async (version: string) => (await import('./commands/serve.js')).serveCommand(version)],
  ['work', async () => (await import('./commands/work.js')).workCommand()],
  ['compile', async () => (await import('./commands/compile.js')).compileCommand()],
  ['check', async () => (await import('./commands/check.js')).checkCommand()],
  ['model', async () => (await import('./commands/model.js')).modelCommand()],
  ['profile', async () => (await import('./commands/profile.js')).profileCommand()],
  ['call', async () => (await import('./commands/call.js')).callCommand()],
  ['format', async () => (await import('./commands/format.js')).formatCommand()],
  ['lsp', async (version: string) => (await import('./commands/lsp.js')).lspCommand(version)],
  ...methods.map((method): [string, Load] => [method.command, () => commandOf(method)]),
  ['summary', async () => (await import('./commands/summary.js')).summaryCommand()],
  ['diagnose', async () => (await import('./commands/diagnose.js')).diagnoseCommand()],
  ['loo', async () => (await import('./commands/loo.js')).looCommand()],
  ['kfold', async () => (await import('./commands/kfold.js')).kfoldCommand()],
  ['compare', async () => (await import('./commands/compare.js')).compareCommand()],
  ['evidence', async () => (await import('./commands/evidence.js')).evidenceCommand()],
  ['sbc', async () => (await import('./commands/sbc.js')).sbcCommand()],
  ['posteriordb', async () => (await import('./commands/posteriordb.js')).posteriordbCommand()],
  ['report', async () => (await import('./commands/report.js')).reportCommand()],
  ['page', async () => (await import('./commands/page.js')).pageCommand()],
  ['cmdstan', async () => (await import('./commands/cmdstan.js')).cmdstanCommand()],
  [
    'completion',
    async (version: string) => {
      const { completionCommand } = await import('./commands/completion.js');
      return completionCommand(() => commandsFor(undefined, version));
    },
  ],
]);

async function commandOf(method: Method): Promise<Command> {
  return (await import('./commands/method-command.js')).methodCommand(method);
}

/**
 * The command that the first argument names, alone because this starts faster. No command for the version, and all
 * commands otherwise.
 */
export async function commandsFor(first: string | undefined, version: string): Promise<readonly Command[]> {
  if (first === '--version' || first === '-V') return [];
  const method = methods.find(({ aliases }) => first !== undefined && aliases.includes(first));
  const load = LOADERS.get(method?.command ?? first ?? '');
  const commands = await Promise.all(
    (load === undefined ? [...LOADERS.values()] : [load]).map((each) => each(version)),
  );
  return commands.map((command) => withInputLimit(command.configureOutput(CONSOLE)));
}

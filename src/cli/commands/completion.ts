import { Argument, Command } from 'commander';
import { printText } from '../../node/standard-streams.js';
import { SCRIPTS } from '../completion/completion-scripts.js';
import { completedCommands } from '../completion/completion-table.js';

/** `leapfrog completion`: prints a script that completes commands, options and their values in a shell. */
export function completionCommand(loadAll: () => Promise<readonly Command[]>): Command {
  return new Command('completion')
    .description('Print a script that completes commands, options and their values in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ leapfrog completion bash > ~/.local/share/bash-completion/completions/leapfrog\n' +
        '  $ leapfrog completion zsh > ~/.zfunc/_leapfrog\n' +
        '  $ leapfrog completion fish > ~/.config/fish/completions/leapfrog.fish\n' +
        '  > leapfrog completion powershell >> $PROFILE',
    )
    .action(async (shell: string) => printText(`${SCRIPTS[shell](completedCommands(await loadAll()))}\n`));
}

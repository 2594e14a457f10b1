import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { printText } from '../../node/standard-streams.js';
import { writing } from '../errors.js';

/** `leapfrog cmdstan`: creates a folder that interfaces use as CmdStan. */
export function cmdstanCommand(): Command {
  return new Command('cmdstan')
    .description('Create or update a folder that CmdStanPy, cmdstanr and other tools use as CmdStan 2.40.')
    .argument('<folder>', 'target folder')
    .addHelpText(
      'after',
      '\nThen set CMDSTAN to the folder, or call set_cmdstan_path(folder) in Python or R.\n\nExample:\n' +
        '  $ leapfrog cmdstan ~/.cmdstan/cmdstan-2.40.0',
    )
    .action(async (folder: string) => {
      const { layOutHome } = await import('../../cmdstan/home.js');
      writing(folder, () => {
        mkdirSync(folder, { recursive: true });
        layOutHome(resolve(folder));
      });
      printText(`CmdStan home by Leapfrog: ${resolve(folder)}\n`);
    });
}

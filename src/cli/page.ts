import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { packageRoot } from '../node/kernels.js';
import { printText } from '../node/standard-streams.js';
import { CommandError, writing } from './errors.js';

/** `leapfrog page`: copies the workbench to a folder for any web server. */
export function pageCommand(): Command {
  return new Command('page')
    .description(
      'Copy the workbench to a folder that any web server can serve. Programs then run in the browser alone.',
    )
    .argument('<folder>', 'target folder')
    .addHelpText(
      'after',
      '\nA folder that contains other files is left unchanged, unless the workbench was copied there before.\n\nExample:\n' +
        '  $ leapfrog page public/leapfrog',
    )
    .action((folder: string) => {
      const page = join(packageRoot(dirname(fileURLToPath(import.meta.url))), 'dist', 'web');
      if (!existsSync(join(page, 'index.html')))
        throw new CommandError('error: the workbench has not been built: run npm run build');
      writing(folder, () => {
        mkdirSync(folder, { recursive: true });
        const isWorkbench = existsSync(join(folder, 'service-worker.js'));
        if (!isWorkbench && readdirSync(folder).length > 0)
          throw new CommandError(`error: ${folder} contains other files: choose an empty folder`);
        rmSync(join(folder, 'assets'), { recursive: true, force: true });
        cpSync(page, folder, { recursive: true });
      });
      printText(`The workbench is in ${resolve(folder)}\n`);
    });
}

import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { PAGE_FOLDER } from '../../node/page-folder.js';
import { printText } from '../../node/standard-streams.js';
import { CommandError, writing } from '../errors.js';

/** `leapfrog page`: copies the workbench to a folder, for any web server. */
export function pageCommand(): Command {
  return new Command('page')
    .description('Copy the workbench to a folder that any web server can serve. Programs then run only in the browser.')
    .argument('<folder>', 'target folder')
    .addHelpText(
      'after',
      '\nA folder that contains other files is not changed, unless the workbench was copied there before.\n\nExample:\n' +
        '  $ leapfrog page public/leapfrog',
    )
    .action((folder: string) => {
      if (!existsSync(join(PAGE_FOLDER, 'index.html')))
        throw new CommandError('error: the workbench has not been built; run npm run build');
      writing(folder, () => {
        mkdirSync(folder, { recursive: true });
        const isWorkbench = existsSync(join(folder, 'service-worker.js'));
        if (!isWorkbench && readdirSync(folder).length > 0)
          throw new CommandError(`error: ${folder} contains other files; choose an empty folder`);
        rmSync(join(folder, 'assets'), { recursive: true, force: true });
        cpSync(PAGE_FOLDER, folder, { recursive: true });
      });
      printText(`The workbench is in ${resolve(folder)}\n`);
    });
}

import { Command, Option } from 'commander';
import { includePathOption } from '../options/program.js';

/** `leapfrog lsp`: runs the language server on standard input and output. */
export function lspCommand(version: string): Command {
  return new Command('lsp')
    .description('Serve an editor over the Language Server Protocol on standard input and output.')
    .addOption(includePathOption())
    .addOption(
      new Option(
        '--stdio',
        'has no effect: standard input and output are the only transport. Accepted because clients pass it',
      ).hideHelp(),
    )
    .addHelpText('after', '\nEditors start this command. docs/editors.md shows how to set up an editor.')
    .action(async ({ includePath }: { readonly includePath: readonly string[] }) => {
      const { createConnection, ProposedFeatures } = await import('vscode-languageserver/node');
      const { serveEditor } = await import('../../lsp/server.js');
      const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
      serveEditor(connection, { version, includePaths: includePath });
    });
}

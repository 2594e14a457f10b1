/** The extension: starts the language server, and runs a model as a task. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  commands,
  type ExtensionContext,
  ShellExecution,
  Task,
  TaskScope,
  tasks,
  type Uri,
  window,
  workspace,
} from 'vscode';
import { LanguageClient, type ServerOptions, TransportKind } from 'vscode-languageclient/node';
import { runArguments } from './run-arguments.js';

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(commands.registerCommand('leapfrog.run', run));
  client = new LanguageClient('leapfrog', 'Leapfrog', serverOptions(context), {
    documentSelector: [{ language: 'stan' }],
    synchronize: { configurationSection: 'leapfrog' },
  });
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** The setting `leapfrog.path`; empty unless it is set. */
function configuredPath(): string {
  return workspace.getConfiguration('leapfrog').get<string>('path', '').trim();
}

/** The configured command, or else the server of the extension in a process of the editor's own Node. */
function serverOptions(context: ExtensionContext): ServerOptions {
  const path = configuredPath();
  if (path !== '') return { command: path, args: ['lsp'] };
  return { module: context.asAbsolutePath('server.js'), transport: TransportKind.stdio };
}

/** Samples from the model in the active editor. Its data are in the file of the same name with the ending `.json`. */
async function run(uri?: Uri): Promise<void> {
  const program = uri ?? window.activeTextEditor?.document.uri;
  if (program?.scheme !== 'file') {
    await window.showErrorMessage('Save the Stan program as a file, and run it again.');
    return;
  }
  await workspace.saveAll();
  const folder = join(program.fsPath, '..');
  const { includePaths } = workspace.getConfiguration('leapfrog');
  const configured = Array.isArray(includePaths) ? includePaths.filter((path) => typeof path === 'string') : [];
  const root = workspace.getWorkspaceFolder(program)?.uri.fsPath ?? folder;
  const args = runArguments(program.fsPath, existsSync, configured, root);
  const execution = new ShellExecution(configuredPath() || 'leapfrog', [...args], { cwd: folder });
  await tasks.executeTask(new Task({ type: 'leapfrog' }, TaskScope.Workspace, 'Run model', 'Stan', execution));
}

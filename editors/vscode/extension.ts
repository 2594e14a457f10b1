/** The extension: starts the language server, runs a model as a task, and shows the report on its draws in a panel. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  commands,
  type ExtensionContext,
  ProcessExecution,
  Task,
  type TaskExecution,
  TaskScope,
  tasks,
  type Uri,
  window,
  workspace,
} from 'vscode';
import { LanguageClient, type ServerOptions } from 'vscode-languageclient/node';
import { showReport } from './report.js';
import { type Command, type Model, reportArguments, sampleArguments } from './run-arguments.js';

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const own = context.asAbsolutePath('engine/build/bundle/main.cjs');
  context.subscriptions.push(commands.registerCommand('leapfrog.run', (uri?: Uri) => run(own, uri)));
  client = new LanguageClient('leapfrog', 'Leapfrog', serverOptions(own), {
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

/**
 * The configured command, or else the engine of the extension in a process of the editor's own Node: with the environment variable, the
 * editor's executable runs as Node; Node itself ignores the variable.
 */
function leapfrog(own: string): Command {
  const path = configuredPath();
  if (path !== '') return { program: path, first: [], environment: {} };
  return { program: process.execPath, first: [own], environment: { ELECTRON_RUN_AS_NODE: '1' } };
}

function serverOptions(own: string): ServerOptions {
  const { environment, first, program } = leapfrog(own);
  return { command: program, args: [...first, 'lsp'], options: { env: { ...process.env, ...environment } } };
}

/** Samples from the model in the active editor. Its data are in the file of the same name with the extension `.json`. */
async function run(own: string, uri?: Uri): Promise<void> {
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
  const model: Model = { program: program.fsPath, exists: existsSync, includePaths: configured, root };
  const command = leapfrog(own);
  const execution = new ProcessExecution(command.program, [...command.first, ...sampleArguments(model)], {
    cwd: folder,
    env: { ...command.environment },
  });
  const task = new Task({ type: 'leapfrog' }, TaskScope.Workspace, 'Run model', 'Stan', execution);
  if ((await exitCodeOf(task)) === 0) await showReport(command, program.fsPath, reportArguments(model));
}

/** Runs a task. Resolves to its exit code, or to undefined if its program cannot be started. */
async function exitCodeOf(task: Task): Promise<number | undefined> {
  const ended: { readonly execution: TaskExecution; readonly exitCode?: number }[] = [];
  let notify = () => {};
  // Registered before the task starts, because the task may end immediately.
  const listeners = [tasks.onDidEndTaskProcess, tasks.onDidEndTask].map((event) =>
    event((end) => {
      ended.push(end);
      notify();
    }),
  );
  try {
    const started = await tasks.executeTask(task);
    for (;;) {
      const end = ended.find(({ execution }) => execution === started);
      if (end !== undefined) return end.exitCode;
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
  } finally {
    for (const listener of listeners) listener.dispose();
  }
}

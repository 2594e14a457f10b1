/**
 * The module `vscode` without an editor: tasks run as processes, what else the extension uses is recorded, and everything else that its language
 * client refers to can be called, constructed and read.
 */
const { spawn } = require('node:child_process');

const disposable = { dispose: () => undefined };

/** A value with every property, each of which is such a value. */
function anything() {
  const known = {};
  return new Proxy(class Anything {}, {
    get(self, key) {
      if (key === 'prototype') return self.prototype;
      if (key === Symbol.toPrimitive) return () => 0;
      if (key === Symbol.iterator) return Array.prototype[Symbol.iterator].bind([]);
      // It is no promise.
      if (key === 'then') return undefined;
      known[key] ??= anything();
      return known[key];
    },
    apply: () => anything(),
    construct: (self, _, constructed) =>
      constructed.prototype === self.prototype ? anything() : Object.create(constructed.prototype),
  });
}

/** An object whose other properties are anything, and whose other events never occur. */
function partial(known) {
  const others = {};
  return new Proxy(known, {
    get(self, key) {
      if (key in self) return self[key];
      if (/^on[A-Z]/.test(String(key))) return () => disposable;
      others[key] ??= anything();
      return others[key];
    },
  });
}

class EventEmitter {
  #listeners = [];
  event = (listener) => {
    this.#listeners.push(listener);
    return disposable;
  };
  fire(value) {
    for (const listener of this.#listeners) listener(value);
  }
  dispose() {}
}

class Disposable {
  dispose() {}
}

class Uri {
  scheme = 'file';
  constructor(path) {
    this.fsPath = path;
  }
  static file(path) {
    return new Uri(path);
  }
  toString() {
    return `file://${this.fsPath}`;
  }
}

class ProcessExecution {
  constructor(process, args, options) {
    Object.assign(this, { process, args, options });
  }
}

class Task {
  constructor(definition, scope, name, source, execution) {
    Object.assign(this, { definition, scope, name, source, execution });
  }
}

const registered = new Map();
const messages = [];
const exitCodes = [];
const panels = [];
const taskProcessEnded = new EventEmitter();
const taskEnded = new EventEmitter();

/** Starts the process of a task. Resolves to its execution before the process has ended. */
async function executeTask(task) {
  const { args, options, process: program } = task.execution;
  const env = { ...process.env, ...options.env };
  const execution = { task };
  spawn(program, args, { cwd: options.cwd, env, stdio: 'ignore' }).on('exit', (exitCode) => {
    exitCodes.push(exitCode);
    taskProcessEnded.fire({ execution, exitCode });
    taskEnded.fire({ execution });
  });
  return execution;
}

function createWebviewPanel(type, title) {
  const disposed = new EventEmitter();
  const panel = {
    type,
    title,
    webview: { html: '' },
    reveal: () => {},
    onDidDispose: disposed.event,
    dispose: () => disposed.fire(),
  };
  panels.push(panel);
  return panel;
}

module.exports = partial({
  version: '1.100.0',
  EventEmitter,
  Disposable,
  Uri,
  ProcessExecution,
  Task,
  TaskScope: {},
  ViewColumn: {},
  commands: partial({
    registerCommand: (name, handler) => {
      registered.set(name, handler);
      return disposable;
    },
    executeCommand: async (name, ...args) => registered.get(name)?.(...args),
  }),
  tasks: partial({ executeTask, onDidEndTaskProcess: taskProcessEnded.event, onDidEndTask: taskEnded.event }),
  workspace: partial({
    workspaceFolders: undefined,
    textDocuments: [],
    notebookDocuments: [],
    getConfiguration: () => ({ get: (_, missing) => missing, includePaths: ['lib'] }),
    getWorkspaceFolder: () => undefined,
    saveAll: async () => true,
  }),
  window: partial({
    activeTextEditor: undefined,
    visibleTextEditors: [],
    tabGroups: partial({ all: [] }),
    createWebviewPanel,
    createOutputChannel: () => partial({ logLevel: 3 }),
    showErrorMessage: async (message) => {
      messages.push(message);
    },
  }),
  messages,
  exitCodes,
  panels,
});

/** A client of the language server, over the standard streams of `leapfrog lsp`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type ClientCapabilities,
  createProtocolConnection,
  type Diagnostic,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

export interface ClientOptions {
  readonly capabilities?: ClientCapabilities;
  /** The section `leapfrog` of the client's configuration. */
  readonly settings?: unknown;
  readonly initializationOptions?: unknown;
  readonly args?: readonly string[];
  /** A script in place of the built command line `leapfrog`. */
  readonly script?: string;
}

export class EditorClient {
  readonly folder: string;
  readonly child: ChildProcess;
  readonly connection: ProtocolConnection;
  readonly logged: string[] = [];
  settings: unknown;
  readonly #versions = new Map<string, number>();
  readonly #texts = new Map<string, string>();
  readonly #published: PublishDiagnosticsParams[] = [];
  #waiting: (() => void)[] = [];
  initialized: InitializeResult = { capabilities: {} };

  private constructor(folder: string, child: ChildProcess, connection: ProtocolConnection) {
    this.folder = folder;
    this.child = child;
    this.connection = connection;
  }

  /** Starts a server in a new folder with the given files. */
  static async start(files: Readonly<Record<string, string>>, options: ClientOptions = {}): Promise<EditorClient> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'leapfrog-editor-')));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const child = spawn(process.execPath, [options.script ?? MAIN, 'lsp', '--stdio', ...(options.args ?? [])], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    const client = new EditorClient(folder, child, connection);
    await client.#initialize(options);
    return client;
  }

  async #initialize({ capabilities = {}, settings, initializationOptions }: ClientOptions): Promise<void> {
    const { connection } = this;
    this.settings = settings;
    connection.onNotification('textDocument/publishDiagnostics', (params: PublishDiagnosticsParams) => {
      this.#published.push(params);
      this.#wake();
    });
    connection.onNotification('window/logMessage', ({ message }: { message: string }) => {
      this.logged.push(message);
      this.#wake();
    });
    connection.onRequest('workspace/configuration', ({ items }: { items: readonly unknown[] }) =>
      items.map(() => this.settings ?? null),
    );
    connection.onRequest('client/registerCapability', () => null);
    connection.listen();
    this.initialized = await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      workspaceFolders: [{ uri: pathToFileURL(this.folder).href, name: 'workspace' }],
      capabilities: {
        ...capabilities,
        workspace: { configuration: settings !== undefined, ...capabilities.workspace },
      },
      initializationOptions,
    });
    await connection.sendNotification('initialized', {});
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  uri(name: string): string {
    return name.includes(':') ? name : pathToFileURL(join(this.folder, name)).href;
  }

  /** Opens a text document, or replaces the text of an open one. */
  async write(name: string, text: string): Promise<void> {
    const uri = this.uri(name);
    const version = (this.#versions.get(uri) ?? 0) + 1;
    const isOpen = this.#versions.has(uri);
    this.#versions.set(uri, version);
    this.#texts.set(uri, text);
    if (isOpen) {
      const change = { textDocument: { uri, version }, contentChanges: [{ text }] };
      await this.connection.sendNotification('textDocument/didChange', change);
    } else {
      const textDocument = { uri, version, languageId: 'stan', text };
      await this.connection.sendNotification('textDocument/didOpen', { textDocument });
    }
  }

  async close(name: string): Promise<void> {
    const uri = this.uri(name);
    this.#versions.delete(uri);
    await this.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  }

  /** The diagnostics of the current version of a document, once they satisfy a condition. */
  async diagnostics(
    name: string,
    condition: (found: readonly Diagnostic[]) => boolean = () => true,
  ): Promise<readonly Diagnostic[]> {
    const uri = this.uri(name);
    for (;;) {
      const last = this.#published.findLast((each) => each.uri === uri);
      const isCurrent = last?.version === this.#versions.get(uri);
      if (last !== undefined && isCurrent && condition(last.diagnostics)) return last.diagnostics;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Waits until the log contains a text. */
  async untilLogged(): Promise<void> {
    while (this.logged.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Versions for which diagnostics of a text have been published. */
  publishedVersions(name: string): readonly (number | undefined)[] {
    return this.#published.filter(({ uri }) => uri === this.uri(name)).map(({ version }) => version);
  }

  /** The position of a part of an open document, or of `§` in it, in UTF-16 code units. */
  position(name: string, part: string, nth = 0): Position {
    const text = this.#texts.get(this.uri(name)) ?? '';
    let offset = text.indexOf(part);
    for (let k = 0; k < nth; k++) offset = text.indexOf(part, offset + 1);
    if (offset < 0) throw new Error(`${part} is not in ${name}`);
    const lines = text.slice(0, offset).split('\n');
    return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  }

  /** A request about a document; `T` is the form of the result that the server selects from those of the specification. */
  request<T>(method: string, name: string, more: object = {}): Promise<T> {
    return this.connection.sendRequest(`textDocument/${method}`, { textDocument: { uri: this.uri(name) }, ...more });
  }

  async end(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.child.once('exit', resolve));
    if (this.child.exitCode === null) {
      await this.connection.sendRequest('shutdown');
      await this.connection.sendNotification('exit');
    }
    const code = this.child.exitCode ?? (await ended);
    this.connection.dispose();
    await rm(this.folder, { recursive: true });
    return code;
  }
}

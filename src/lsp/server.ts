/** The language server. Requests about a text are handled by the analysis of the programs that contain it. */
import {
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  PositionEncodingKind,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { AnalysisThread } from './analysis-thread.js';
import { LEGEND } from './convert.js';
import { Document, keyOf } from './document.js';
import { answerRequests } from './features.js';
import { Programs } from './programs.js';
import { Reports } from './reports.js';
import { settingsFrom } from './settings.js';

export interface ServerOptions {
  readonly version: string;
  /** Folders for `#include`, which are searched before those in the client's settings. */
  readonly includePaths: readonly string[];
}

/** Serves one client until it disconnects. */
export function serveEditor(connection: Connection, { version, includePaths }: ServerOptions): void {
  const programs = new Programs();
  const thread = new AnalysisThread();
  const reports = new Reports(connection, programs, thread);
  const documents = new TextDocuments({
    create: (uri, _language, number, content) => new Document(uri, number, content),
    update: (document: Document, changes, number) => document.changed(changes, number),
  });
  let client: InitializeParams['capabilities'] = {};

  const apply = (sent: unknown) => {
    const settings = settingsFrom(sent, includePaths, programs.folders);
    programs.includePaths = settings.includePaths;
    reports.pedantic = settings.pedantic;
    programs.forget();
    reports.changedAll();
  };
  const pull = async () => apply(await connection.workspace.getConfiguration('leapfrog'));

  connection.onInitialize((params): InitializeResult => {
    client = params.capabilities;
    const folders = params.workspaceFolders?.map(({ uri }) => uri) ?? (params.rootUri ? [params.rootUri] : []);
    programs.folders = folders.map(keyOf);
    apply(params.initializationOptions);
    answerRequests(connection, { programs, thread, reports }, client);
    return { capabilities: CAPABILITIES, serverInfo: { name: 'leapfrog', version } };
  });

  connection.onInitialized(async () => {
    const { workspace } = client;
    if (workspace?.didChangeConfiguration?.dynamicRegistration === true) {
      await connection.client.register(DidChangeConfigurationNotification.type, { section: 'leapfrog' });
    }
    if (workspace?.didChangeWatchedFiles?.dynamicRegistration === true) {
      const watchers = [{ globPattern: '**/*.stan' }, { globPattern: '**/*.stanfunctions' }];
      await connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
    }
    if (workspace?.workspaceFolders === true) {
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        const gone = new Set(removed.map(({ uri }) => keyOf(uri)));
        programs.folders = [
          ...programs.folders.filter((folder) => !gone.has(folder)),
          ...added.map(({ uri }) => keyOf(uri)),
        ];
        programs.forget();
        reports.changedAll();
      });
    }
    if (workspace?.configuration === true) await pull();
  });

  connection.onDidChangeConfiguration(async ({ settings }) => {
    if (client.workspace?.configuration === true) await pull();
    else apply(settings);
  });
  connection.onDidChangeWatchedFiles(() => {
    programs.forget();
    reports.changedAll();
  });
  documents.onDidChangeContent(({ document }) => {
    programs.open(document);
    reports.changed(document.key);
  });
  documents.onDidClose(({ document }) => {
    programs.close(document.key);
    reports.changed(document.key);
  });
  documents.onDidSave(() => {
    programs.forget();
    reports.changedAll();
  });
  connection.onShutdown(() => {
    reports.end();
    return thread.end();
  });
  documents.listen(connection);
  connection.listen();
}

const CAPABILITIES: InitializeResult['capabilities'] = {
  positionEncoding: PositionEncodingKind.UTF16,
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  completionProvider: { triggerCharacters: ['~'] },
  hoverProvider: true,
  signatureHelpProvider: { triggerCharacters: ['(', ',', '|'] },
  definitionProvider: true,
  referencesProvider: true,
  documentHighlightProvider: true,
  renameProvider: { prepareProvider: true },
  documentFormattingProvider: true,
  documentRangeFormattingProvider: true,
  documentSymbolProvider: true,
  documentLinkProvider: {},
  foldingRangeProvider: true,
  selectionRangeProvider: true,
  workspaceSymbolProvider: true,
  codeActionProvider: { codeActionKinds: ['quickfix'] },
  inlayHintProvider: true,
  semanticTokensProvider: { legend: LEGEND, full: true, range: true },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
};

/** The language server of the extension, over standard input and output. */
import { createRequire } from 'node:module';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { serveEditor } from '../../src/lsp/server.js';

const { version } = createRequire(import.meta.url)('./package.json');
serveEditor(createConnection(ProposedFeatures.all, process.stdin, process.stdout), { version, includePaths: [] });

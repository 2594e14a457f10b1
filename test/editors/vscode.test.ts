/** The packaged extension for Visual Studio Code. The editor itself is not required. */
import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runArguments } from '../../editors/vscode/run-arguments.js';
import { EditorClient } from '../lsp/client.js';
import { type Unpacked, unpackExtension } from './package.js';

const EDITOR = fileURLToPath(new URL('../../../test/editors/vscode.cjs', import.meta.url));

interface Extension {
  activate(context: { readonly subscriptions: unknown[]; asAbsolutePath(path: string): string }): Promise<void>;
  deactivate(): Promise<void>;
}

/** What test/editors/vscode.cjs records in place of the editor. */
interface Editor {
  readonly commands: { executeCommand(name: string, ...args: readonly unknown[]): Promise<void> };
  readonly Uri: { file(path: string): unknown };
  readonly executed: { readonly execution: { readonly command: string; readonly args: readonly string[] } }[];
  readonly messages: readonly string[];
}

describe('the packaged extension', () => {
  let unpacked: Unpacked;
  before(async () => {
    unpacked = await unpackExtension();
  });
  after(() => rm(unpacked.folder, { recursive: true }));

  const read = (path: string) => readFile(join(unpacked.folder, path), 'utf8');

  it('has every file that its manifests name', async () => {
    const names = [
      ...(await read('extension/package.json')).matchAll(/"(?:main|path|configuration)": "\.\/([^"]+)"/g),
    ].map(([, name]) => `extension/${name}`);
    const assets = [...(await read('extension.vsixmanifest')).matchAll(/Path="([^"]+)"/g)].map(([, path]) => path);
    assert.equal(names.length, 3);
    for (const path of [...names, ...assets]) assert.ok(unpacked.paths.includes(path), path);
  });

  it('states the type of each of its files', async () => {
    const types = await read('[Content_Types].xml');
    for (const path of unpacked.paths.filter((each) => each !== '[Content_Types].xml')) {
      assert.ok(types.includes(`Extension="${path.slice(path.lastIndexOf('.'))}"`), path);
    }
  });

  it('names the licences of the packages that it contains', async () => {
    const notices = await read('extension/NOTICES.txt');
    for (const name of ['vscode-languageclient', 'vscode-languageserver', 'vscode-jsonrpc']) {
      assert.match(notices, new RegExp(`^${name} \\d`, 'm'));
    }
  });

  it('is reproducible to the byte', async () => {
    const again = await unpackExtension();
    await rm(again.folder, { recursive: true });
    assert.ok(again.archive.equals(unpacked.archive));
  });

  it('contains a language server that needs no other file', async () => {
    const client = await EditorClient.start({}, { script: join(unpacked.folder, 'extension/server.js') });
    await client.write('model.stan', 'model {\n  x = 1;\n}\n');
    const [found] = await client.diagnostics('model.stan', ({ length }) => length > 0);
    assert.equal(found.range.start.line, 1);
    assert.equal(await client.end(), 0);
  });

  it('starts its server, runs a model as a task, and stops', async () => {
    const modules = join(unpacked.folder, 'node_modules/vscode');
    await mkdir(modules, { recursive: true });
    await cp(EDITOR, join(modules, 'index.js'));
    const program = join(unpacked.folder, 'model.stan');
    await writeFile(join(unpacked.folder, 'model.json'), '{}');
    const require = createRequire(join(unpacked.folder, 'extension/extension.cjs'));
    const editor: Editor = require('vscode');
    const extension: Extension = require('./extension.cjs');
    await extension.activate({
      subscriptions: [],
      asAbsolutePath: (path) => join(unpacked.folder, 'extension', path),
    });
    await editor.commands.executeCommand('leapfrog.run', editor.Uri.file(program));
    const [{ execution }] = editor.executed;
    assert.equal(execution.command, 'leapfrog');
    assert.deepEqual(execution.args.slice(0, 4), ['sample', program, '--data', program.replace('.stan', '.json')]);
    await editor.commands.executeCommand('leapfrog.run');
    assert.match(editor.messages[0], /Save the Stan program/);
    await extension.deactivate();
  });
});

describe('the arguments that run a model', () => {
  it('name its data, if they exist, and the folders for includes', () => {
    const given = runArguments('/w/a/model.stan', (path) => path === '/w/a/model.json', ['lib', '/opt/lib'], '/w');
    assert.deepEqual(given, [
      'sample',
      '/w/a/model.stan',
      '--data',
      '/w/a/model.json',
      '--include-path',
      '/w/lib',
      '--include-path',
      '/opt/lib',
      '--chains',
      '4',
      '--output',
      'model.csv',
    ]);
    assert.deepEqual(runArguments('/w/m.stan', () => false, [], '/w').slice(0, 3), ['sample', '/w/m.stan', '--chains']);
  });
});

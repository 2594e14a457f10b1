/** The packaged extension for Visual Studio Code. The editor itself is not required. */
import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { reportArguments, sampleArguments } from '../../editors/vscode/run-arguments.js';
import { EditorClient } from '../lsp/client.js';
import { type Unpacked, unpackExtension } from './package.js';

/** The command line in the extension's folder. */
const ENGINE = 'engine/build/bundle/main.cjs';
const PROGRAM = 'data { real a; } parameters { real x; } model { x ~ normal(a, 1); }';
const EDITOR = fileURLToPath(new URL('../../../test/editors/vscode.cjs', import.meta.url));

interface Extension {
  activate(context: { readonly subscriptions: unknown[]; asAbsolutePath(path: string): string }): Promise<void>;
  deactivate(): Promise<void>;
}

/** What test/editors/vscode.cjs records when it replaces the editor. */
interface Editor {
  readonly commands: { executeCommand(name: string, ...args: readonly unknown[]): Promise<void> };
  readonly Uri: { file(path: string): unknown };
  /** The exit code of each task that has ended. */
  readonly exitCodes: readonly number[];
  readonly panels: { readonly title: string; readonly webview: { readonly html: string }; dispose(): void }[];
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

  it('names the licenses of the packages that it contains', async () => {
    const places: readonly (readonly [string, string])[] = [
      ['vscode-languageclient', 'NOTICES.txt'],
      ['vscode-jsonrpc', 'NOTICES.txt'],
      ['vscode-languageserver', 'engine/build/bundle/LICENSES.txt'],
      ['commander', 'engine/build/bundle/LICENSES.txt'],
    ];
    for (const [name, file] of places) {
      assert.ok(new RegExp(`^${name} \\d`, 'm').test(await read(`extension/${file}`)), name);
    }
  });

  it('is reproducible to the byte', async () => {
    const again = await unpackExtension();
    await rm(again.folder, { recursive: true });
    assert.ok(again.archive.equals(unpacked.archive));
  });

  it('contains a language server that needs no other file', async () => {
    const client = await EditorClient.start({}, { script: join(unpacked.folder, 'extension', ENGINE) });
    await client.write('model.stan', 'model {\n  x = 1;\n}\n');
    const [found] = await client.diagnostics('model.stan', ({ length }) => length > 0);
    assert.equal(found.range.start.line, 1);
    assert.equal(await client.end(), 0);
  });

  it('starts its server, runs a model as a task, shows the report, and stops', async () => {
    const modules = join(unpacked.folder, 'node_modules/vscode');
    await mkdir(modules, { recursive: true });
    await cp(EDITOR, join(modules, 'index.js'));
    const program = join(unpacked.folder, 'model.stan');
    await writeFile(program, PROGRAM);
    await writeFile(join(unpacked.folder, 'model.json'), '{"a": 1}');
    const require = createRequire(join(unpacked.folder, 'extension/extension.cjs'));
    const editor: Editor = require('vscode');
    const extension: Extension = require('./extension.cjs');
    await extension.activate({
      subscriptions: [],
      asAbsolutePath: (path) => join(unpacked.folder, 'extension', path),
    });
    const run = () => editor.commands.executeCommand('leapfrog.run', editor.Uri.file(program));
    await run();
    assert.deepEqual([editor.exitCodes, editor.messages], [[0], []]);
    const [{ title, webview }] = editor.panels;
    assert.equal(title, 'Report: model.stan');
    assert.match(webview.html, /<svg /);
    await writeFile(program, 'parameters { real x }');
    await run();
    assert.deepEqual([editor.exitCodes, editor.panels.length], [[0, 1], 1]);
    editor.panels[0].dispose();
    await writeFile(program, PROGRAM);
    await run();
    assert.deepEqual([editor.exitCodes, editor.panels.length], [[0, 1, 0], 2]);
    await editor.commands.executeCommand('leapfrog.run');
    assert.match(editor.messages[0], /Save the Stan program/);
    await extension.deactivate();
  });
});

describe('the arguments that run a model', () => {
  const exists = (path: string) => path === '/w/a/model.json';
  const model = { program: '/w/a/model.stan', exists, includePaths: ['lib', '/opt/lib'], root: '/w' };

  it('include its data, if they exist, and the folders for includes', () => {
    const folders = ['--include-path', '/w/lib', '--include-path', '/opt/lib'];
    const output = ['--chains', '4', '--output', 'model.csv'];
    assert.deepEqual(sampleArguments(model), [
      'sample',
      model.program,
      '--data',
      '/w/a/model.json',
      ...folders,
      ...output,
    ]);
    const without = { ...model, program: '/w/m.stan', includePaths: [] };
    assert.deepEqual(sampleArguments(without).slice(0, 3), ['sample', '/w/m.stan', '--chains']);
  });

  it('report on the files that it writes', () => {
    const files = [1, 2, 3, 4].map((chain) => `/w/a/model_${chain}.csv`);
    assert.deepEqual(reportArguments(model), ['report', ...files, '--data', '/w/a/model.json']);
  });
});

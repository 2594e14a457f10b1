/** Programs with several files: includes, files that belong to several programs, settings, and files that change. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import type { DocumentLink, Location, TextEdit } from 'vscode-languageserver/node';
import { type ClientOptions, EditorClient } from './client.js';

const DATA = 'data {\n  int N;\n}\n';
const FIRST = '#include data.stan\nmodel {\n  print(N);\n}\n';
const SECOND = '#include "data.stan"\nmodel {\n  print(N + N);\n}\n';
const FUNCTIONS = 'real half_lpdf(real y, real mu) {\n  return normal_lpdf(y | mu, 0.5);\n}\n';
const USER = 'functions {\n#include f.stanfunctions\n}\nparameters {\n  real y;\n}\nmodel {\n  y ~ half(0);\n}\n';

const isEmpty = ({ length }: readonly unknown[]) => length === 0;
const isFound = ({ length }: readonly unknown[]) => length > 0;

interface Changes {
  readonly changes: Readonly<Record<string, readonly TextEdit[]>>;
}

describe('programs of several files', () => {
  let client: EditorClient;
  const start = async (files: Readonly<Record<string, string>>, options?: ClientOptions) => {
    client = await EditorClient.start(files, options);
  };
  afterEach(() => client.end());

  it('include files in the same folder, and report errors in them', async () => {
    await start({ 'data.stan': DATA.replace(';', '') });
    await client.write('first.stan', FIRST);
    const found = await client.diagnostics('first.stan', isEmpty);
    assert.deepEqual(found, []);
    const [wrong] = await client.diagnostics('data.stan', isFound);
    assert.equal(wrong.range.start.line, 1);
    await client.write('data.stan', DATA);
    assert.deepEqual(await client.diagnostics('data.stan', isEmpty), []);
  });

  it('report unsupported statements after a pause, and clear the report when they are removed', async () => {
    await start({});
    await client.write('first.stan', 'parameters { real a; } model { target += (a, 1.0); }\n');
    const [found] = await client.diagnostics('first.stan', isFound);
    assert.deepEqual([found.code, found.range.start.line], ['unsupported', 0]);
    await client.write('first.stan', 'parameters { real a; } model { target += a; }\n');
    assert.deepEqual(await client.diagnostics('first.stan', isEmpty), []);
  });

  it('report a file that cannot be found, and find it once it exists', async () => {
    await start({});
    await client.write('first.stan', FIRST);
    const [missing] = await client.diagnostics('first.stan', isFound);
    assert.deepEqual([missing.code, missing.range.start.line], ['include-not-found', 0]);
    await writeFile(join(client.folder, 'data.stan'), DATA);
    await client.connection.sendNotification('workspace/didChangeWatchedFiles', { changes: [] });
    assert.deepEqual(await client.diagnostics('first.stan', isEmpty), []);
  });

  it('include files from the folders that the settings and the command line name', async () => {
    await start({}, { settings: { includePaths: ['lib'] }, args: ['--include-path', 'more'] });
    for (const [folder, name, text] of [
      ['lib', 'data.stan', DATA],
      ['more', 'model.stan', 'model {\n  print(N);\n}\n'],
    ]) {
      await mkdir(join(client.folder, folder));
      await writeFile(join(client.folder, folder, name), text);
    }
    await client.write('first.stan', '#include data.stan\n#include <model.stan>\n');
    assert.deepEqual(await client.diagnostics('first.stan', isEmpty), []);
  });

  it('show pedantic warnings unless a setting hides them', async () => {
    await start({}, { settings: { pedantic: false } });
    const text = 'parameters {\n  real x;\n}\nmodel {\n}\n';
    await client.write('first.stan', text);
    assert.deepEqual(await client.diagnostics('first.stan'), []);
    client.settings = { pedantic: true };
    await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
    const [found] = await client.diagnostics('first.stan', isFound);
    assert.equal(found.severity, 2);
  });

  it('read settings from initializationOptions and from notifications, and ignore unknown ones', async () => {
    await start({}, { initializationOptions: { pedantic: false, includePaths: 3 } });
    await client.write('first.stan', 'parameters {\n  real x;\n}\nmodel {\n}\n');
    assert.deepEqual(await client.diagnostics('first.stan'), []);
    await client.connection.sendNotification('workspace/didChangeConfiguration', {
      settings: { leapfrog: { pedantic: true, includePaths: [1, 'lib'] } },
    });
    assert.ok(isFound(await client.diagnostics('first.stan', isFound)));
  });

  it('link an include to the file, and a use to a declaration in it', async () => {
    await start({ 'data.stan': DATA });
    await client.write('first.stan', FIRST);
    const uri = client.uri('data.stan');
    const [link] = await client.request<DocumentLink[]>('documentLink', 'first.stan');
    assert.deepEqual(link, {
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 18 } },
      target: uri,
    });
    const [file] = await client.request<Location[]>('definition', 'first.stan', {
      position: { line: 0, character: 12 },
    });
    assert.equal(file.uri, uri);
    const position = client.position('first.stan', 'N)');
    const [found] = await client.request<Location[]>('definition', 'first.stan', { position });
    assert.deepEqual(found, { uri, range: { start: { line: 1, character: 6 }, end: { line: 1, character: 7 } } });
  });

  it('are renamed together if they share a declaration, whether they are open or not', async () => {
    await start({ 'data.stan': DATA, 'second.stan': SECOND, 'other.stan': 'data {\n  int N;\n}\n' });
    await client.write('first.stan', FIRST);
    const position = client.position('first.stan', 'N)');
    const places = await client.request<Location[]>('references', 'first.stan', {
      position,
      context: { includeDeclaration: true },
    });
    assert.deepEqual(
      places.map(({ uri }) => uri).sort(),
      ['data.stan', 'first.stan', 'second.stan', 'second.stan'].map((name) => client.uri(name)),
    );
    const { changes } = await client.request<Changes>('rename', 'first.stan', { position, newName: 'size' });
    const counts = Object.entries(changes).map(([uri, edits]) => [uri, edits.length]);
    assert.deepEqual(counts.sort(), [
      [client.uri('data.stan'), 1],
      [client.uri('first.stan'), 1],
      [client.uri('second.stan'), 2],
    ]);
    assert.ok(Object.values(changes).every((edits) => edits.every(({ newText }) => newText === 'size')));
  });

  it('keep the suffixes of a density in every file', async () => {
    await start({ 'f.stanfunctions': FUNCTIONS, 'second.stan': USER });
    await client.write('first.stan', USER);
    const position = client.position('first.stan', 'half(0)');
    const { changes } = await client.request<Changes>('rename', 'first.stan', { position, newName: 'third' });
    assert.deepEqual(
      ['f.stanfunctions', 'first.stan', 'second.stan'].map((name) =>
        changes[client.uri(name)].map((edit) => edit.newText),
      ),
      [['third_lpdf'], ['third'], ['third']],
    );
  });

  it('are not renamed if one of them would become invalid', async () => {
    await start({
      'data.stan': DATA,
      'second.stan': `${SECOND.replace('model {', 'parameters {\n  real size;\n}\nmodel {')}`,
    });
    await client.write('first.stan', FIRST);
    const position = client.position('first.stan', 'N)');
    await assert.rejects(client.request('rename', 'first.stan', { position, newName: 'size' }), /second\.stan: .*size/);
  });

  it('determine the meaning of an included file, also if none of them is open', async () => {
    await start({ 'first.stan': USER.replace('f.stanfunctions', 'part.stan'), 'part.stan': FUNCTIONS });
    await client.write('part.stan', FUNCTIONS);
    assert.deepEqual(await client.diagnostics('part.stan'), []);
    await client.write('part.stan', FUNCTIONS.replace('0.5', 'sigma'));
    const [found] = await client.diagnostics('part.stan', isFound);
    assert.match(String(found.message), /sigma/);
  });

  it('are not required for a file of functions', async () => {
    await start({});
    await client.write('f.stanfunctions', FUNCTIONS);
    assert.deepEqual(await client.diagnostics('f.stanfunctions'), []);
    const [declaration] = await client.request<Location[]>('definition', 'f.stanfunctions', {
      position: client.position('f.stanfunctions', 'mu, 0.5'),
    });
    assert.deepEqual(declaration.range.start, { line: 0, character: 28 });
    await client.write('f.stanfunctions', FUNCTIONS.replace('}', ''));
    const [found] = await client.diagnostics('f.stanfunctions', isFound);
    assert.equal(found.severity, 1);
  });

  it('do not have to be files', async () => {
    await start({});
    await client.write('untitled:Untitled-1', 'model {\n  x = 1;\n}\n');
    const [found] = await client.diagnostics('untitled:Untitled-1', isFound);
    assert.equal(found.range.start.line, 1);
  });

  it('leave no diagnostics when they are closed', async () => {
    await start({ 'data.stan': DATA.replace(';', '') });
    await client.write('first.stan', FIRST);
    await client.diagnostics('data.stan', isFound);
    await client.close('first.stan');
    assert.deepEqual(await client.diagnostics('data.stan', isEmpty), []);
  });
});

/** Invalid, incomplete, huge or late messages must not crash the server or stop its answers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Hover, Location } from 'vscode-languageserver/node';
import { EditorClient } from './client.js';

const FILE = 'model.stan';
const PROGRAM =
  'data {\n  int N;\n  vector[N] y;\n}\nparameters {\n  real mu; // ∑🙂\n}\nmodel {\n  y ~ normal(mu, 1);\n}\n';
const START = { line: 0, character: 0 };
const METHODS = [
  'hover',
  'completion',
  'signatureHelp',
  'definition',
  'documentHighlight',
  'prepareRename',
  'documentSymbol',
  'documentLink',
  'foldingRange',
  'semanticTokens/full',
];

describe('a language server', () => {
  let client: EditorClient;
  beforeEach(async () => {
    client = await EditorClient.start({});
  });
  afterEach(() => client.end());

  /** Whether it still answers. */
  const isAlive = async () => {
    await client.write('alive.stan', PROGRAM);
    const position = client.position('alive.stan', 'normal');
    const found = await client.request<Hover>('hover', 'alive.stan', { position });
    assert.notEqual(found, null);
  };

  it('answers every request at every position of an incomplete program', async () => {
    for (let length = 0; length <= PROGRAM.length; length += 7) {
      const text = PROGRAM.slice(0, length);
      await client.write(FILE, text);
      const position = { line: text.split('\n').length - 1, character: text.split('\n').at(-1)?.length ?? 0 };
      for (const method of METHODS) await client.request(method, FILE, { position });
    }
    await client.write(FILE, PROGRAM);
    assert.deepEqual(
      (await client.diagnostics(FILE)).filter(({ severity }) => severity === 1),
      [],
    );
    assert.deepEqual(client.logged, []);
  });

  it('reports invalid parameters of each request', async () => {
    const all = [...METHODS, 'references', 'rename', 'formatting', 'codeAction', 'semanticTokens/range'];
    const wrong = [{}, { textDocument: {} }, { textDocument: { uri: 1 } }, { textDocument: null, position: START }];
    const withText = [{ position: {} }, { range: { start: START } }, { position: { line: -1, character: 0 } }];
    const needsMore = all.filter((method) => !/Symbol|Link|foldingRange|full|formatting/.test(method));
    const refused = async (method: string, params: unknown) =>
      assert.rejects(client.connection.sendRequest(`textDocument/${method}`, params), { code: -32602 }, method);
    for (const method of all) for (const params of wrong) await refused(method, params);
    await client.write(FILE, PROGRAM);
    const textDocument = { uri: client.uri(FILE) };
    for (const method of needsMore) for (const params of withText) await refused(method, { textDocument, ...params });
    await isAlive();
  });

  it('answers for texts that are not programs', async () => {
    const texts = [
      '\u0000\u0001\uFFFF\uD800',
      '@'.repeat(20_000),
      '{'.repeat(20_000),
      `model { real x = ${'('.repeat(20_000)}1${')'.repeat(20_000)}; }`,
      '/* never closed "',
      '#include model.stan\n'.repeat(100),
      '#include',
      '#include /dev/zero\n#include ../../../../etc/passwd\nmodel {}',
      '"'.repeat(999),
      `data { ${'int x;'.repeat(1)} `.repeat(500),
    ];
    for (const text of texts) {
      await client.write(FILE, text);
      for (const method of METHODS) await client.request(method, FILE, { position: START });
    }
    await isAlive();
  });

  it('answers meaningless requests with an error and continues', async () => {
    await client.write(FILE, PROGRAM);
    await assert.rejects(client.connection.sendRequest('textDocument/unknown', {}));
    for (const method of METHODS) {
      const params = [{}, { textDocument: { uri: 7 } }, { textDocument: { uri: client.uri(FILE) }, position: 'x' }];
      for (const each of params) {
        await client.connection.sendRequest(`textDocument/${method}`, each).then(
          () => undefined,
          (error) => assert.ok(error instanceof Error),
        );
      }
    }
    await client.connection.sendNotification('textDocument/didChange', { textDocument: {}, contentChanges: [{}] });
    await client.connection.sendNotification('textDocument/didOpen', {});
    await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: [{}] });
    await isAlive();
  });

  it('answers null for a text that is not open, and clamps positions outside a text', async () => {
    assert.equal(await client.request('hover', 'closed.stan', { position: START }), null);
    await client.write(FILE, PROGRAM);
    const position = { line: 1000, character: 1000 };
    assert.equal(await client.request('hover', FILE, { position }), null);
    assert.deepEqual(await client.request<Location[]>('definition', FILE, { position }), []);
  });

  it('publishes the diagnostics of the last of many changes', async () => {
    const versions = 40;
    const errors = PROGRAM.replace('normal(mu', 'normal(unknown');
    for (let k = 1; k < versions; k++) await client.write(FILE, `${k % 2 === 0 ? PROGRAM : errors}// ${k}\n`);
    await client.write(FILE, errors);
    const found = await client.diagnostics(FILE);
    assert.match(String(found[0].message), /unknown/);
    const published = client.publishedVersions(FILE);
    assert.equal(published.at(-1), versions);
    assert.ok(published.length < versions, `${published.length} analyses`);
  });

  it('reports that the text has changed instead of answering for the old one', async () => {
    const long = `${PROGRAM}generated quantities {\n${'  print(exp(mu));\n'.repeat(500)}}\n`;
    await client.write(FILE, long);
    const asked = client.request('hover', FILE, { position: client.position(FILE, 'normal') });
    const rejected = assert.rejects(asked, { code: -32801 });
    await client.write(FILE, PROGRAM);
    await rejected;
    await isAlive();
  });

  for (const [what, bytes] of [
    ['a message that is not JSON', 'Content-Length: 5\r\n\r\n{"a":'],
    ['JSON that is not a message', 'Content-Length: 4\r\n\r\nnull'],
    ['a message of another kind', 'Content-Length: 9\r\n\r\n[1,"two"]'],
    ['bytes that are not text', 'Content-Length: 3\r\n\r\n\xff\xfe\x00'],
  ]) {
    it(`continues after ${what}`, async () => {
      client.child.stdin?.write(Buffer.from(bytes, 'latin1'));
      await isAlive();
    });
  }

  it('ends when its input ends', async () => {
    const ended = once(client.child, 'exit');
    client.child.stdin?.end();
    assert.deepEqual(await ended, [1, null]);
  });
});

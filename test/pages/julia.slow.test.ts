/** Runs the commands and sends the requests of docs/julia.md, without Julia. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { tableFromIPC } from 'apache-arrow';
import { ROOT } from '../project/tree.js';
import { filesOf, textsUnder } from '../support/documents.js';
import { type Serving, serve } from '../support/serving.js';

const PAGE = 'docs/julia.md';
const run = promisify(execFile);

describe(PAGE, () => {
  const files = filesOf(PAGE);
  let folder: string;
  let serving: Serving;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-julia-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    serving = await serve();
  });
  after(async () => {
    await serving.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has commands that write the files that it reads', async () => {
    const [session] = textsUnder(PAGE, 'Commands', 'julia');
    const commands = [...session.matchAll(/run\(`leapfrog (.*)`\)/g)];
    assert.equal(commands.length, 2);
    for (const [, words] of commands) {
      await run(process.execPath, [join(ROOT, 'dist/src/cli/main.js'), ...words.split(' ')], { cwd: folder });
    }
    assert.match(session, /Arrow\.Table\("draws_\$chain\.arrow"\)\) for chain in 1:4/);
    for (const chain of [1, 2, 3, 4]) {
      const table = tableFromIPC(readFileSync(join(folder, `draws_${chain}.arrow`)));
      assert.ok(table.getChild('theta')?.length === 1000);
    }
  });

  it('has requests that the server answers as shown', async () => {
    const [session] = textsUnder(PAGE, 'Log densities over HTTP', 'julia');
    const values: Record<string, string> = {
      program: JSON.stringify(files['bernoulli.stan']),
      data: files['bernoulli.json'],
    };
    const filled = (text: string) => text.replace(/\$(\w+)/g, (_, name: string) => values[name]);
    let result: Record<string, unknown> = {};
    const requests = [...session.matchAll(/^(\w+) = post\("(.*?)", """(.*)"""\)/gm)];
    assert.equal(requests.length, 2);
    for (const [, name, path, body] of requests) {
      const response = await fetch(`${serving.address}/v1/${filled(path)}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: filled(body),
      });
      result = JSON.parse(await response.text());
      assert.ok(response.ok, JSON.stringify(result));
      if (typeof result.name === 'string') values[name] = result.name;
    }
    assert.equal(typeof result.log_prob, 'number');
    assert.ok(Array.isArray(result.grad_log_prob));
  });
});

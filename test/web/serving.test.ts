/** How the server delivers the page, to a client without a browser. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { TestServer } from '../service/harness.js';
import { servingCommand, startCommand } from '../support/serving.js';

describe('the server', () => {
  it('sends the page with a strict Content-Security-Policy, isolated from other origins', async () => {
    const server = await TestServer.start({ web: true });
    const { headers, text } = await server.get('/');
    await server.remove();
    assert.match(text, /<title>Leapfrog/);
    assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/, 'it has nothing inline');
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval(?<!wasm-unsafe-eval)|\*|https?:/);
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(headers.get('cross-origin-embedder-policy'), 'require-corp');
  });

  it('allows requests to other servers only where the link names files there, and frames only where they are allowed', async () => {
    const server = await TestServer.start({
      web: true,
      frameAncestors: ['https://course.example', 'https://*.school.example'],
    });
    const page = await server.get('/');
    const linked = await server.get('/?stan=https://files.example/coin.stan');
    const answer = await server.get('/v1/health');
    await server.remove();
    const policyOf = (headers: Headers) => headers.get('content-security-policy') ?? '';
    assert.match(
      policyOf(page.headers),
      /; connect-src 'self'; .*frame-ancestors https:\/\/course\.example https:\/\/\*\.school\.example$/,
    );
    assert.equal(page.headers.get('x-frame-options'), null);
    assert.match(policyOf(linked.headers), /; connect-src 'self' https:; /);
    assert.match(policyOf(answer.headers), /frame-ancestors 'none'$/);
  });

  it('forbids the network to the worker that runs scripts', async () => {
    const server = await TestServer.start({ web: true });
    const files: readonly string[] = JSON.parse((await server.get('/files.json')).text);
    const worker = files.find((name) => name.startsWith('assets/script-worker-'));
    const { status, headers } = await server.get(`/${worker}`);
    await server.remove();
    assert.equal(status, 200);
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; script-src 'self' 'unsafe-eval'");
    assert.equal(headers.get('cross-origin-embedder-policy'), 'require-corp');
  });

  it('sends the page without its token, and nothing else', async () => {
    const server = await TestServer.start({ web: true, token: 'a-token-of-some-length' });
    const [page, models] = [await server.get('/'), await server.get('/v1/models')];
    await server.remove();
    assert.deepEqual([page.status, models.status], [200, 401]);
  });

  it('omits the page with --no-web, and leads to the description of the interface', async () => {
    const store = await mkdtemp(join(tmpdir(), 'leapfrog-no-web-'));
    const started = startCommand([...servingCommand(store), '--no-web']);
    const address = await started.address;
    const [start, index] = await Promise.all([
      fetch(address, { redirect: 'manual' }),
      fetch(`${address}/index.html`, { redirect: 'manual' }),
    ]);
    await started.end('SIGTERM');
    await rm(store, { recursive: true, force: true });
    assert.equal(start.status, 302);
    assert.equal(start.headers.get('location'), '/docs');
    assert.equal(index.status, 404);
  });
});

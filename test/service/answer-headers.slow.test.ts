/** Headers that prevent browsers from guessing content types and from framing pages of this server, and the end of JSON bodies. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { launchChromium, withoutChromium } from '../support/chromium.js';
import { TestServer } from './harness.js';

describe('the headers of responses', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ web: true });
  });
  after(() => server.remove());

  it('forbid type guessing and frames, for every request', async () => {
    const { paths } = (await server.get('/v1/openapi.json')).json;
    const places = [
      '/',
      '/docs',
      '/docs/static/swagger-ui.css',
      '/docs/json',
      '/metrics',
      '/v1/openapi.json',
      '/none',
      '/%',
    ];
    for (const path of [...places, ...Object.keys(paths).map((each) => each.replace(/\{\w+\}/g, 'nothing'))]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const { headers } = await server.request(method, path, method === 'GET' ? undefined : []);
        assert.equal(headers.get('x-content-type-options'), 'nosniff', `${method} ${path}`);
        assert.equal(headers.get('x-frame-options'), 'DENY', `${method} ${path}`);
        assert.match(
          headers.get('content-security-policy') ?? '',
          /^default-src 'none';.* frame-ancestors 'none'$/,
          path,
        );
      }
    }
  });

  it('have the length of JSON bodies, which end with a newline, also compressed and in lists', async () => {
    const program_code = 'parameters { real x; } model { x ~ std_normal(); }';
    const { name } = (await server.post('/v1/models', { program_code })).json;
    for (const path of [
      '/v1/models',
      `/v1/${name}`,
      `/v1/${name}/fits`,
      '/v1/functions',
      '/v1/openapi.json',
      '/v1/none',
      '/%',
    ]) {
      for (const encoding of ['identity', 'gzip', 'br']) {
        const answer = await fetch(`${server.address}${path}`, { headers: { 'accept-encoding': encoding } });
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
        const body = await answer.text();
        assert.match(body, /^\{[^\n]*\}\n$/, path);
        const length = answer.headers.get('content-length');
        if (encoding === 'identity') assert.equal(Number(length), Buffer.byteLength(body), path);
      }
      const get = await fetch(`${server.address}${path}`, { headers: { 'accept-encoding': 'identity' } });
      const head = await fetch(`${server.address}${path}`, {
        method: 'HEAD',
        headers: { 'accept-encoding': 'identity' },
      });
      if (head.ok) assert.equal(head.headers.get('content-length'), get.headers.get('content-length'), path);
      await get.text();
    }
  });

  it('are also in responses to malformed requests', async () => {
    const { hostname, port } = new URL(server.address);
    const received = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write('no request\r\n\r\n'));
      socket.on('data', (bytes) => {
        text += bytes;
      });
      socket.on('close', () => resolve(text)).on('error', reject);
    });
    assert.match(received, /^HTTP\/1\.1 400 [\s\S]*\r\nx-content-type-options: nosniff\r\n/);
  });

  it('permit the description of the interface to work, and no other page to frame it', {
    skip: withoutChromium,
  }, async () => {
    const browser = await launchChromium();
    const host: Server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        `<h1>Foreign</h1><iframe src="${server.address}/docs"></iframe><iframe src="${server.address}/"></iframe>`,
      );
    });
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(`${server.address}/docs`);
      await page.locator('.opblock').first().waitFor();
      await page.locator('.opblock-get').first().click();
      await page.getByRole('button', { name: 'Execute' }).click();
      await page.locator('.live-responses-table').waitFor();
      assert.deepEqual(complaints, []);

      await new Promise<void>((resolve) => host.listen(0, 'localhost', resolve));
      const bound = host.address();
      assert.ok(typeof bound === 'object' && bound !== null);
      await page.goto(`http://localhost:${bound.port}/`);
      await page.getByText('Foreign').waitFor();
      for (const frame of page.frames().slice(1)) {
        await frame.waitForLoadState();
        assert.match(frame.url(), /^chrome-error:/);
      }
      assert.equal(
        complaints.filter((text) => /frame-ancestors|X-Frame-Options/i.test(text)).length,
        2,
        complaints.join('\n'),
      );
    } finally {
      await browser.close();
      host.closeAllConnections();
      await new Promise((resolve) => host.close(resolve));
    }
  });
});

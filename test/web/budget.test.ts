import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll } from './workbench.js';

const LIMIT = 500_000;
/** Number of bytes that a server sends, with the compression that it applies to responses. */
const SENT_LIMIT = 600_000;

/** Fonts and pictures are already compressed. */
function compressedSize(url: string, bytes: Buffer): number {
  return /\.(?:woff2|png)$/.test(url) ? bytes.length : gzipSync(bytes, { level: 9 }).length;
}

describe('the first load of the workbench', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  it(`is less than ${LIMIT / 1000} kB compressed before the engine, none of which is loaded yet`, async () => {
    const page = await opened.browser.newPage();
    const sizes = new Map<string, Promise<number>>();
    const sent: Promise<number>[] = [];
    page.on('response', (response) => {
      // The response has no body.
      if (response.request().method() === 'HEAD') return;
      const url = response.url();
      sent.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize),
      );
      sizes.set(
        url,
        response.body().then((bytes) => compressedSize(url, bytes)),
      );
    });
    await page.goto(opened.server.address);
    await page.getByLabel('method').waitFor();
    await page.waitForLoadState('networkidle');
    const loaded = await Promise.all([...sizes].map(async ([url, size]) => ({ url, size: await size })));
    assert.deepEqual(
      loaded.filter(({ url }) => /-worker|\.wasm$/.test(url)),
      [],
    );
    const bytes = (await Promise.all(sent)).reduce((sum, size) => sum + size, 0);
    assert.ok(bytes > 100_000 && bytes < SENT_LIMIT, `${bytes} bytes were sent`);
    const total = loaded.reduce((sum, { size }) => sum + size, 0);
    assert.ok(loaded.length > 4 && total > 100_000, 'what is loaded is seen');
    assert.ok(
      total < LIMIT,
      `${total} bytes: ${loaded.map(({ url, size }) => `${size} ${url.split('/').at(-1)}`).join(', ')}`,
    );
  });
});

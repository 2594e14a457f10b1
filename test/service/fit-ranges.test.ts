/** Entity tags and byte ranges of finished fits and of the page's files, over a real socket. */
import assert from 'node:assert/strict';
import { get, type IncomingHttpHeaders, request as openRequest } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { TestServer } from './harness.js';

const PROGRAM = 'parameters { vector[5] x; } model { x ~ std_normal(); }';
/** Several pieces in each format. */
const REQUEST = {
  function: 'stan::services::sample::fixed_param',
  random_seed: 1,
  num_chains: 2,
  num_samples: 8000,
};

interface Bytes {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function bytesOf(url: string, headers: Record<string, string> = {}): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    }).on('error', reject);
  });
}

describe('bytes of a fit', () => {
  let server: TestServer;
  let url: string;
  let model: string;
  const fit = async (request: object) => {
    const started = await server.post(`${model}/fits`, request);
    return `${server.address}/v1/${(await server.finished(started.json.name)).json.result.name}`;
  };
  before(async () => {
    server = await TestServer.start();
    model = await server.model(PROGRAM);
    url = await fit(REQUEST);
  });
  after(() => server.remove());

  for (const format of ['ndjson', 'csv', 'arrow']) {
    it(`in ${format} have a strong tag and can be resumed anywhere`, async () => {
      const whole = await bytesOf(`${url}?format=${format}`);
      const { etag = '' } = whole.headers;
      const { length } = whole.body;
      assert.match(etag, /^"[\w-]{43}"$/);
      assert.equal(whole.headers['accept-ranges'], 'bytes');
      assert.ok(length > 1.5 * 2 ** 19, `${length} bytes`);
      for (const [range, from, to] of [
        ['bytes=0-', 0, length],
        ['bytes=0-0', 0, 1],
        [`bytes=${2 ** 18 - 1}-${2 ** 18}`, 2 ** 18 - 1, 2 ** 18 + 1],
        [`bytes=${length - 2 ** 19}-`, length - 2 ** 19, length],
        [`bytes=${length - 1}-${length + 100}`, length - 1, length],
        ['bytes=-5', length - 5, length],
        [`bytes=-${2 * length}`, 0, length],
      ] as const) {
        const part = await bytesOf(`${url}?format=${format}`, { range, 'if-range': etag, 'accept-encoding': 'gzip' });
        assert.equal(part.status, 206, range);
        assert.equal(part.headers['content-range'], `bytes ${from}-${to - 1}/${length}`);
        assert.equal(part.headers['content-length'], `${to - from}`);
        assert.equal(part.headers['content-encoding'], undefined);
        assert.equal(part.headers.etag, etag);
        assert.ok(part.body.equals(whole.body.subarray(from, to)), range);
      }
    });
  }

  it('beyond the end are an error that states the length', async () => {
    const { length } = (await bytesOf(url)).body;
    for (const range of [`bytes=${length}-`, 'bytes=-0', 'bytes=999999999999-']) {
      const { body, headers, status } = await bytesOf(url, { range });
      assert.equal(status, 416, range);
      assert.equal(headers['content-range'], `bytes */${length}`);
      assert.equal(JSON.parse(body.toString()).reason, 'range_not_satisfiable');
    }
  });

  it('are all returned for ranges that are invalid, several, or of another representation', async () => {
    const whole = await bytesOf(url);
    const ignored: readonly Record<string, string>[] = [
      { range: 'bytes=5-2' },
      { range: 'bytes=-' },
      { range: 'bytes=0-1,5-6' },
      { range: 'rows=1-2' },
      { range: 'bytes=0-1', 'if-range': '"other"' },
      { range: 'bytes=0-1', 'if-range': `W/${whole.headers.etag}` },
      { range: 'bytes=0-1', 'if-range': 'Wed, 21 Oct 2015 07:28:00 GMT' },
    ];
    for (const headers of ignored) {
      const { body, status } = await bytesOf(url, headers);
      assert.equal(status, 200, JSON.stringify(headers));
      assert.ok(body.equals(whole.body));
    }
  });

  it('are not sent to a client that has them', async () => {
    const { etag = '' } = (await bytesOf(url)).headers;
    for (const known of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
      const { body, headers, status } = await bytesOf(url, { 'if-none-match': known });
      assert.deepEqual([status, body.length, headers.etag], [304, 0, etag], known);
    }
    assert.equal((await bytesOf(url, { 'if-none-match': '"other"' })).status, 200);
    const packed = await bytesOf(url, { 'accept-encoding': 'gzip' });
    assert.deepEqual([packed.headers.etag, packed.headers['content-encoding']], [`W/${etag}`, 'gzip']);
    assert.match(packed.headers.vary ?? '', /accept-encoding/);
  });

  it('have other tags if the selection, the format or the fit differs', async () => {
    const other = await fit({ ...REQUEST, random_seed: 2 });
    const queries = ['', 'format=csv', 'format=arrow', 'chain=1', 'variables=x', 'variables=x.1', 'first=2', 'last=9'];
    const urls = [...queries, 'nonfinite=null'].map((query) => `${url}?${query}`);
    const tags = await Promise.all([...urls, other].map(async (each) => (await bytesOf(each)).headers.etag));
    assert.equal(new Set(tags).size, tags.length);
    assert.deepEqual((await bytesOf(url)).headers.etag, tags[0]);
  });

  it('answers HEAD with the tag and ignores its range', async () => {
    const { etag } = (await bytesOf(url)).headers;
    const head = await new Promise<readonly [number | undefined, string | undefined]>((resolve, reject) => {
      const sent = openRequest(url, { method: 'HEAD', headers: { range: 'bytes=0-1' }, agent: false }, (response) => {
        response.resume();
        resolve([response.statusCode, response.headers.etag]);
      });
      sent.on('error', reject).end();
    });
    assert.deepEqual(head, [200, etag]);
  });

  it('are sent to a client that has closed its side of the connection', async () => {
    const { hostname, pathname, port } = new URL(url);
    const whole = await bytesOf(url);
    for (const path of ['/v1/health', pathname]) {
      const socket = connect(Number(port), hostname, () =>
        socket.end(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      );
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk);
      const answer = Buffer.concat(chunks);
      assert.match(answer.toString('latin1', 0, 20), /^HTTP\/1\.1 200 /, path);
      if (path === pathname) assert.ok(answer.length > whole.body.length);
    }
  });
});

describe('a file of the page', () => {
  it('answers 416 with its length for a range beyond its end', async () => {
    const server = await TestServer.start({ web: true });
    try {
      const whole = await bytesOf(`${server.address}/`);
      if (whole.headers['content-type']?.startsWith('text/html') !== true) return;
      const { body, headers, status } = await bytesOf(`${server.address}/`, { range: 'bytes=99999999-' });
      assert.equal(status, 416);
      assert.equal(headers['content-range'], `bytes */${whole.body.length}`);
      assert.equal(JSON.parse(body.toString()).reason, 'range_not_satisfiable');
    } finally {
      await server.remove();
    }
  });
});

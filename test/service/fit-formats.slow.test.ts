/** Formats of a finished fit, over a real socket. */
import assert from 'node:assert/strict';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import { ofOneProcess } from '../support/cluster.js';
import { TestServer } from './harness.js';

const SAMPLE = 'stan::services::sample::hmc_nuts_diag_e_adapt';
const PROGRAM = `
data { int<lower=1> N; }
parameters { real mu; vector[N] theta; }
model { mu ~ std_normal(); theta ~ normal(mu, 1); }
generated quantities {
  matrix[2, 3] M = rep_matrix(mu, 2, 3);
  complex z = to_complex(mu, 2);
  tuple(real, vector[2]) t = (mu, [1, 2]');
  array[2] real odd = {not_a_number(), negative_infinity()};
}
`;
const REQUEST = {
  function: SAMPLE,
  random_seed: 3,
  num_chains: 2,
  num_samples: 40,
  num_warmup: 30,
  save_warmup: true,
  data: { N: 3 },
};
/** A fit of many pieces. */
const LARGE_REQUEST = { ...REQUEST, random_seed: 4, num_samples: 30_000 };
const NAMES = [
  ...['mu', 'theta.1', 'theta.2', 'theta.3', 'M.1.1', 'M.2.1', 'M.1.2', 'M.2.2', 'M.1.3', 'M.2.3'],
  ...['z.real', 'z.imag', 't:1', 't:2.1', 't:2.2', 'odd.1', 'odd.2'],
];
const SAMPLER_NAMES = [
  ...['lp__', 'accept_stat__', 'stepsize__', 'treedepth__', 'n_leapfrog__', 'divergent__', 'energy__'],
];

interface Bytes {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The response without decompression. Rejects if it is truncated. */
function bytesOf(url: string, headers: Record<string, string> = {}): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    }).on('error', reject);
  });
}

interface Message {
  readonly topic: string;
  readonly chain: number;
  readonly values: Readonly<Record<string, number | string>>;
}

function drawsOf(text: string): Message[] {
  const messages = text
    .trimEnd()
    .split('\n')
    .map((line): Message => JSON.parse(line));
  return messages.filter(({ topic, values }) => topic === 'sample' && !Array.isArray(values));
}

describe('a finished fit', () => {
  let server: TestServer;
  let path: string;
  let model: string;
  before(async () => {
    server = await TestServer.start();
    model = await server.model(PROGRAM);
    const started = await server.post(`${model}/fits`, REQUEST);
    const { result } = (await server.finished(started.json.name)).json;
    assert.ok(result.name, JSON.stringify(result));
    path = `/v1/${result.name}`;
  });
  after(() => server.remove());
  const read = async (query: string, headers?: Record<string, string>) =>
    (await bytesOf(`${server.address}${path}?${query}`, headers)).body;
  const draws = async (query: string) => drawsOf((await read(query)).toString());

  for (const format of ['ndjson', 'csv', 'arrow']) {
    test(`in ${format} has the same bytes with gzip and brotli`, async () => {
      const plain = await bytesOf(`${server.address}${path}?format=${format}`);
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.ok(plain.body.length > 1000);
      for (const [encoding, decompress] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        const packed = await bytesOf(`${server.address}${path}?format=${format}`, { 'accept-encoding': encoding });
        assert.equal(packed.headers['content-encoding'], encoding, `${packed.headers['content-type']}`);
        assert.ok(packed.body.length < plain.body.length);
        assert.ok(decompress(packed.body).equals(plain.body));
      }
    });
  }

  test("has CmdStan's order and names", async () => {
    const [draw] = await draws('');
    assert.deepEqual(Object.keys(draw.values), [...SAMPLER_NAMES, ...NAMES]);
  });

  test('is an Arrow stream with names, values, chains and the request', async () => {
    const table = tableFromIPC(await read('format=arrow'));
    assert.deepEqual(
      table.schema.fields.map(({ name }) => name),
      ['chain__', ...SAMPLER_NAMES, ...NAMES],
    );
    const messages = await draws('nonfinite=literal&variables=lp__,mu,theta,M');
    assert.equal(table.numRows, 2 * 70);
    for (const [row, { chain, values }] of messages.entries()) {
      assert.equal(table.getChild('chain__')?.get(row), chain);
      for (const [name, value] of Object.entries(values)) assert.equal(table.getChild(name)?.get(row), value);
    }
    assert.ok(Number.isNaN(table.getChild('odd.1')?.get(0)));
    assert.equal(table.getChild('odd.2')?.get(0), Number.NEGATIVE_INFINITY);
    const about = JSON.parse(table.schema.metadata.get('leapfrog') ?? '');
    assert.deepEqual(about.chains, [
      { chain: 1, warmup: 30, draws: 40 },
      { chain: 2, warmup: 30, draws: 40 },
    ]);
    assert.deepEqual([about.function, about.random_seed, about.arguments.num_samples], [SAMPLE, 3, 40]);
  });

  test('states in Arrow and CSV which draws are sent, rather than which exist', async () => {
    for (const [query, expected] of [
      ['', { warmup: 30, draws: 40 }],
      ['warmup=false', { warmup: 0, draws: 40 }],
      ['warmup=false&first=31', { warmup: 0, draws: 10 }],
      ['first=21', { warmup: 10, draws: 40 }],
      ['first=11&last=33', { warmup: 20, draws: 3 }],
      ['last=5', { warmup: 5, draws: 0 }],
      ['first=100', { warmup: 0, draws: 0 }],
    ] as const) {
      const { schema, numRows } = tableFromIPC(await read(`format=arrow&chain=2&${query}`));
      const { chains } = JSON.parse(schema.metadata.get('leapfrog') ?? '');
      assert.deepEqual(chains, [{ chain: 2, ...expected }], query);
      assert.equal(numRows, expected.warmup + expected.draws);
      const csv = (await read(`format=csv&${query}`)).toString();
      const setting = (name: string) => new RegExp(`^# +${name} = (\\w+)`, 'm').exec(csv)?.[1];
      const isSaved = expected.warmup > 0;
      assert.equal(setting('save_warmup'), `${isSaved}`, query);
      assert.equal(setting('num_samples'), `${expected.draws}`);
      assert.equal(setting('num_warmup'), `${isSaved ? expected.warmup : 30}`);
    }
  });

  test('returns variables by the name of a container or an element, also in brackets', async () => {
    const keys = async (variables: string) => Object.keys((await draws(`variables=${variables}`))[0].values);
    assert.deepEqual(await keys('theta,lp__'), ['lp__', 'theta.1', 'theta.2', 'theta.3']);
    assert.deepEqual(await keys('theta.2'), ['theta.2']);
    assert.deepEqual(await keys('theta[2],M[2,3]'), ['theta.2', 'M.2.3']);
    assert.deepEqual(await keys('z,t'), ['z.real', 'z.imag', 't:1', 't:2.1', 't:2.2']);
    const table = tableFromIPC(await read('format=arrow&variables=mu,theta[3]'));
    assert.deepEqual(
      table.schema.fields.map(({ name }) => name),
      ['chain__', 'mu', 'theta.3'],
    );
  });

  test('rejects unknown names and lists the known ones', async () => {
    for (const format of ['ndjson', 'csv', 'arrow']) {
      const answer = await server.get(`${path}?format=${format}&variables=nu,theta[9],mu`, {
        'accept-encoding': 'gzip',
      });
      assert.equal(answer.status, 400);
      assert.match(
        JSON.stringify(answer.json),
        /nu, theta\[9\], which the fit lacks; it has lp__, .*mu, theta, M, z, t, odd/,
      );
    }
  });

  test('returns chains, warmup and ranges of draws', async () => {
    const all = await draws('');
    const ofChain = (chain: number) => all.filter((draw) => draw.chain === chain);
    assert.equal(all.length, 140);
    assert.deepEqual(await draws('chain=2'), ofChain(2));
    assert.deepEqual(await draws('warmup=false&chain=1'), ofChain(1).slice(30));
    assert.deepEqual(await draws('first=29&last=33&chain=1'), ofChain(1).slice(28, 33));
    assert.deepEqual(await draws('warmup=false&first=2&last=3'), [
      ...ofChain(1).slice(31, 33),
      ...ofChain(2).slice(31, 33),
    ]);
    assert.deepEqual(await draws('warmup=false&last=1000'), [...ofChain(1).slice(30), ...ofChain(2).slice(30)]);
    assert.equal(tableFromIPC(await read('format=arrow&warmup=false&first=40')).numRows, 2);
    assert.equal((await server.get(`${path}?chain=7`)).status, 400);
    assert.equal((await server.get(`${path}?first=3&last=2`)).status, 400);
    assert.equal((await server.get(`${path}?first=0`)).status, 400);
  });

  test('writes non-finite numbers as requested', async () => {
    const line = async (query: string) => (await read(`variables=odd&warmup=false&last=1&chain=1&${query}`)).toString();
    assert.match(await line(''), /\{"odd\.1":"NaN","odd\.2":"-Infinity"\}/);
    assert.match(await line('nonfinite=literal'), /\{"odd\.1":NaN,"odd\.2":-Infinity\}/);
    assert.match(await line('nonfinite=null'), /\{"odd\.1":null,"odd\.2":null\}/);
    assert.match(await line('format=csv'), /\nodd\.1,odd\.2\n[\s\S]*\nnan,-inf\n/);
  });

  test('has the format that Accept prefers, unless one is named', async () => {
    const type = async (accept: string, query = '') =>
      (await bytesOf(`${server.address}${path}${query}`, { accept })).headers['content-type'];
    const arrow = 'application/vnd.apache.arrow.stream';
    assert.equal(await type('*/*'), 'text/plain; charset=utf-8');
    for (const encoding of ['identity', 'gzip']) {
      const { headers } = await bytesOf(`${server.address}${path}`, { 'accept-encoding': encoding });
      assert.match(headers.vary ?? '', /^accept(,|$)/);
    }
    assert.equal(await type('application/x-ndjson'), 'application/x-ndjson');
    assert.equal(await type('APPLICATION/X-NDJSON'), 'application/x-ndjson');
    assert.equal(await type('application/x-ndjson;q=0, */*'), 'text/plain; charset=utf-8');
    assert.equal(await type('text/plain, application/x-ndjson;q=0.5'), 'text/plain; charset=utf-8');
    assert.equal(await type('application/x-ndjson2'), 'text/plain; charset=utf-8');
    assert.equal(await type('text/csv;charset=utf-8'), 'text/csv; charset=utf-8');
    assert.equal(await type('text/csv'), 'text/csv; charset=utf-8');
    assert.equal(await type(`text/csv;q=0.5, ${arrow}`), arrow);
    assert.equal(await type(`${arrow};q=0, text/csv;q=0.2`), 'text/csv; charset=utf-8');
    assert.equal(await type('image/png'), 'text/plain; charset=utf-8');
    assert.equal(await type(arrow, '?format=csv'), 'text/csv; charset=utf-8');
  });

  // The rules of Stan's own reader, stan/io/stan_csv_reader.hpp, which expects one chain per file.
  test("is CSV as Stan's own reader expects it, one chain at a time", async () => {
    const lines = (await read('format=csv&chain=2')).toString().replace(/\n$/, '').split('\n');
    const names = lines.findIndex((line) => !line.startsWith('#'));
    const settings = new Map(
      lines.slice(0, names).map((line): [string, string] => {
        const [name, value = ''] = line.slice(1).split('=');
        return [name.trim(), value.replace(' (Default)', '').trim()];
      }),
    );
    const expected = { model: /_model$/, num_samples: /^40$/, num_warmup: /^30$/, save_warmup: /^true$/, thin: /^1$/ };
    const others = { id: /^2$/, seed: /^3$/, method: /^sample$/, algorithm: /^hmc$/, engine: /^nuts$/, init: /^2$/ };
    for (const [name, pattern] of Object.entries({ ...expected, ...others })) {
      assert.match(settings.get(name) ?? '', pattern, name);
    }
    assert.deepEqual(lines[names].split(','), [...SAMPLER_NAMES, ...NAMES]);

    const adaptation = lines.findIndex((line, index) => index > names && line.startsWith('#'));
    assert.equal(adaptation, names + 1 + 30);
    const [terminated, stepSize, title, metric, draw] = lines.slice(adaptation);
    assert.equal(terminated, '# Adaptation terminated');
    assert.ok(Number(/^# Step size = (\S+)$/.exec(stepSize)?.[1]) > 0);
    assert.equal(title, '# Diagonal elements of inverse mass matrix:');
    assert.deepEqual(metric.slice(1).split(',').map(Number).length, 4);
    assert.equal(draw.split(',').length, SAMPLER_NAMES.length + NAMES.length);

    const end = lines.slice(adaptation + 4 + 40);
    assert.deepEqual([end[0], end[4], end.length], ['# ', '# ', 5]);
    for (const [line, phase] of [
      [end[1], 'Warm-up'],
      [end[2], 'Sampling'],
      [end[3], 'Total'],
    ]) {
      assert.ok(line.endsWith(` seconds (${phase})`), line);
      assert.ok(Number(line.slice(17, line.indexOf(' seconds'))) >= 0, line);
    }
  });

  test('of several chains names each of them in CSV', async () => {
    const text = (await read('format=csv&variables=mu')).toString();
    assert.deepEqual(text.match(/^# chain \d+$/gm), ['# chain 1', '# chain 2']);
    assert.equal(text.split('\n').filter((line) => /^-?\d/.test(line)).length, 140);
  });

  test('can be followed in progress with some of its variables', async () => {
    const started = await server.post(`${model}/fits`, LARGE_REQUEST);
    const fit = `${server.address}/v1/${started.json.metadata.fit.name}`;
    const followed = drawsOf((await bytesOf(`${fit}?follow=true&variables=theta&chain=2`)).body.toString());
    await server.finished(started.json.name);
    const finished = drawsOf((await bytesOf(`${fit}?variables=theta&chain=2`)).body.toString());
    assert.deepEqual(followed, finished);
  });

  test('reports what is missing, finished or not', async () => {
    const started = await server.post(`${model}/fits`, { ...LARGE_REQUEST, random_seed: 5, num_samples: 1_000_000 });
    const fit = `/v1/${started.json.metadata.fit.name}`;
    for (const query of ['variables=theta,nothing', 'chain=9']) {
      const followed = await server.get(`${fit}?follow=true&${query}`);
      const finished = await server.get(`${path}?${query}`);
      assert.deepEqual([followed.status, finished.status], [400, 400]);
      assert.deepEqual(followed.json, finished.json);
    }
    await server.delete(`/v1/${started.json.name}`);
  });

  describe('with damaged files', { skip: ofOneProcess.folder }, () => {
    const read = (encoding: string, format: string, query = '') =>
      bytesOf(`${server.address}${path}?format=${format}${query}`, { 'accept-encoding': encoding });
    const cases = ['identity', 'gzip', 'br'].flatMap((encoding) =>
      ['ndjson', 'csv', 'arrow'].map((format) => [encoding, format] as const),
    );
    let damaged: string;
    let content: Buffer;
    before(async () => {
      const { metadata } = (await server.post(`${model}/fits`, LARGE_REQUEST)).json;
      path = `/v1/${metadata.fit.name}`;
      const files = await readdir(server.store, { recursive: true });
      const [second] = await Promise.all(
        files
          .filter((file) => file.endsWith('chain-2.draws.arrow'))
          .map(async (file) => ({ file, size: (await stat(join(server.store, file))).size })),
      ).then((found) => found.sort((a, b) => b.size - a.size));
      damaged = join(server.store, second.file);
      content = await readFile(damaged);
      await rm(damaged);
    });

    test('is an error in plain JSON if nothing has been sent', async () => {
      for (const [encoding, format] of cases) {
        const answer = await read(encoding, format, '&chain=2');
        assert.equal(answer.status, 500);
        assert.equal(answer.headers['content-encoding'], undefined);
        assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
        assert.equal(JSON.parse(answer.body.toString()).code, 500);
      }
    });

    test('is an aborted transfer if something has been sent', async () => {
      content[content.length >> 1] ^= 1;
      await writeFile(damaged, content);
      for (const [encoding, format] of cases) await assert.rejects(read(encoding, format));
    });
  });
});

/** Warm starts over HTTP, in the library and on the command line: the same requests return the same results. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { close, compile, type Fit, RequestError } from 'leapfrog';
import { CommandFolder } from '../cli/command.js';
import { TestServer } from './harness.js';

const PROGRAM = `data { int N; vector[N] y; }
parameters { vector[N] theta; real mu; real<lower=0> tau; }
model { mu ~ normal(0, 5); tau ~ lognormal(0, 1); theta ~ normal(mu, tau); y ~ normal(theta, 0.5); }
`;
/** A program with another prior, another constraint and one more parameter. */
const EDITED = PROGRAM.replace('real mu;', 'real<lower=-100> mu; real delta;').replace(
  'model {',
  'model { delta ~ std_normal();',
);
const DATA = { N: 3, y: [1, 2, 4] };
const MORE = { N: 4, y: [1, 2, 4, 3] };
const COUNTS = { num_warmup: 300, num_samples: 50 };
const METRICS = ['unit_e', 'diag_e', 'dense_e', 'low_rank'] as const;
type Metric = (typeof METRICS)[number];

interface Draw {
  readonly [name: string]: number;
}

interface Message {
  readonly topic: string;
  readonly values: Draw | readonly (string | number)[];
  readonly chain?: number;
}

function functionOf(metric: Metric): string {
  return `${metric === 'low_rank' ? 'leapfrog' : 'stan'}::services::sample::hmc_nuts_${metric}_adapt`;
}

describe('a warm start', () => {
  let server: TestServer;
  let model: string;
  let edited: string;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 60_000, workerMemory: 1024 });
    model = await server.model(PROGRAM);
    edited = await server.model(EDITED);
  });
  after(() => server.remove());
  after(close);

  async function fit(path: string, request: object): Promise<string> {
    const started = await server.post(`${path}/fits`, {
      function: functionOf('diag_e'),
      random_seed: 1,
      ...COUNTS,
      ...request,
    });
    assert.equal(started.status, 201, started.text);
    const { result } = (await server.finished(started.json.name)).json;
    assert.equal(result.code, undefined, result.message);
    return result.name;
  }

  async function read(name: string, wanted = 1) {
    const { text } = await server.get(`/v1/${name}`);
    const lines = text.trim().split('\n');
    const all = lines.map((line): Message => JSON.parse(line)).filter(({ chain = 1 }) => chain === wanted);
    const objects = (topic: string): Draw[] =>
      all.flatMap((each) => (each.topic === topic && !isTexts(each.values) ? [each.values] : []));
    const texts = (topic: string) =>
      all.flatMap((each) => (each.topic === topic && isTexts(each.values) ? [each.values] : []));
    const log = texts('logger').flat().map(String);
    return {
      draws: objects('sample'),
      diagnostics: objects('diagnostic'),
      start: texts('initialization')[0],
      adaptation: texts('sample').flat(),
      report: log.flatMap((line) => (line.includes('Warm start from') ? [line.replace(/^.*fits\/\w+: /, '')] : [])),
    };
  }

  for (const metric of METRICS) {
    it(`takes over the exact positions, step size and metric ${metric}, chain by chain`, async () => {
      const request = { function: functionOf(metric), data: DATA, num_chains: 2 };
      const first = await fit(model, request);
      const second = await fit(model, { ...request, num_warmup: 0, random_seed: 7, warm_start: first });
      const { json } = await server.get(`/v1/operations/${second.split('/').at(-1)}`);
      const earlier = await server.get(`/v1/operations/${first.split('/').at(-1)}`);
      assert.deepEqual(json.metadata.adaptation, earlier.json.metadata.adaptation);
      for (const chain of [1, 2]) {
        const before = await read(first, chain);
        const after = await read(second, chain);
        const last = before.diagnostics.at(-1) ?? {};
        assert.deepEqual(
          after.start,
          ['theta.1', 'theta.2', 'theta.3', 'mu', 'tau'].map((name) => last[name]),
        );
        assert.equal(after.draws[0]?.stepsize__, before.draws[0]?.stepsize__);
        assert.deepEqual(after.report, ['step size and metric are taken over.']);
      }
    });
  }

  it('produces the draws of the library, whose fits need no diagnostics', async () => {
    const first = await fit(model, { data: DATA });
    const second = await fit(edited, { data: MORE, warm_start: first, random_seed: 2, num_warmup: 50 });
    const { draws } = await read(second);
    for (const diagnostics of [true, false]) {
      const run = { num_chains: 1, random_seed: 1, ...COUNTS };
      const earlier = await (await compile(PROGRAM)).sample({ ...run, data: DATA }, { diagnostics }).result();
      const again = (await compile(EDITED)).sample(
        { ...run, data: MORE, warm_start: earlier, random_seed: 2, num_warmup: 50 },
        { diagnostics },
      );
      const { chains, columns }: Fit = await again.result();
      const rows = draws.flatMap((draw) => columns.map((column) => draw[column]));
      assert.deepEqual([...(chains[0]?.values ?? [])], rows);
    }
  });

  it('starts parameters that do not match as usual, and reports them', async () => {
    const first = await fit(model, { data: DATA });
    const second = await fit(edited, { data: MORE, warm_start: first, random_seed: 2 });
    assert.deepEqual((await read(second)).report, [
      'it has another size of theta.',
      'it has no parameter delta.',
      'step size and the metric of the parameters that match are taken over.',
    ]);
    const dense = await fit(model, { data: DATA, warm_start: first, function: functionOf('dense_e') });
    assert.deepEqual((await read(dense)).report, ['its step size and metric are for diag_e, not dense_e.']);
    const negative = await server.model(
      PROGRAM.replace('real<lower=0> tau', 'real<upper=0> tau')
        .replace('tau);', '-tau);')
        .replace('tau ~ log', '-tau ~ log'),
    );
    assert.deepEqual((await read(await fit(negative, { data: DATA, warm_start: first }))).report, [
      'its value of tau is outside the constraints.',
      'step size and metric are taken over.',
    ]);
  });

  it('keeps the elements of a partly matching metric, and uses ones for the others', async () => {
    const first = await fit(model, { data: DATA });
    const second = await fit(edited, { data: DATA, warm_start: first, num_warmup: 0 });
    const adapted = (await server.get(`/v1/operations/${first.split('/').at(-1)}`)).json.metadata.adaptation[0];
    const taken = (await server.get(`/v1/operations/${second.split('/').at(-1)}`)).json.metadata.adaptation[0];
    const [a, b, c, mu, tau] = adapted.inv_metric;
    assert.deepEqual(taken.inv_metric, [a, b, c, mu, 1, tau]);
  });

  it('is overridden by initial values and a metric in the request', async () => {
    const first = await fit(model, { data: DATA });
    const init = { theta: [0, 0, 0], mu: 0, tau: 1 };
    const inv_metric = [1, 2, 3, 4, 5];
    const second = await fit(model, { data: DATA, warm_start: first, init, inv_metric, num_warmup: 0 });
    const { json } = await server.get(`/v1/operations/${second.split('/').at(-1)}`);
    assert.deepEqual(json.metadata.adaptation[0].inv_metric, inv_metric);
    assert.deepEqual((await read(second)).start, [0, 0, 0, 0, 0]);
  });

  it('requires an existing fit', async () => {
    const first = await fit(model, { data: DATA, random_seed: 9 });
    await server.delete(`/v1/${first}`);
    const gone = await server.post(`${model}/fits`, { function: functionOf('diag_e'), data: DATA, warm_start: first });
    assert.equal(gone.status, 400);
    assert.deepEqual(gone.json.details, [
      { field: '/warm_start', message: `names the fit ${first}, which does not exist` },
    ]);
    const values = (await compile(PROGRAM)).runMethod('sample', { data: DATA, warm_start: { mu: 1 } }).result();
    await assert.rejects(values, RequestError);
  });

  it('works with files of an earlier run on the command line', async () => {
    const place = await CommandFolder.create({ 'model.stan': PROGRAM, 'data.json': JSON.stringify(DATA) });
    try {
      const sample = (...rest: readonly string[]) =>
        place.run('sample', 'model.stan', '--data', 'data.json', '--seed', '1', '--chains', '2', ...rest);
      for (const [metric, extension] of [
        ['diag_e', 'csv'],
        ['dense_e', 'ndjson'],
      ]) {
        const options = ['--metric', metric, '--num-samples', '20'];
        const first = await sample(...options, '--num-warmup', '200', '--output', `first-${metric}.${extension}`);
        assert.equal(first.code, 0, first.output);
        const files = [1, 2].map((chain) => `first-${metric}_${chain}.${extension}`);
        const second = await sample(...options, '--num-warmup', '0', '--warm-start', ...files);
        assert.equal(second.code, 0, second.output);
        assert.match(
          second.output,
          /Warm start from first-\w+_1\.\w+, first-\w+_2\.\w+: step size and metric are taken over\./,
        );
      }
      const refused = await sample('--warm-start', 'data.json');
      assert.equal(refused.code, 1);
      assert.match(refused.errors, /error: --warm-start must be draws of an earlier run/);
    } finally {
      await place.remove();
    }
  });
});

function isTexts(values: Message['values']): values is readonly (string | number)[] {
  return Array.isArray(values);
}

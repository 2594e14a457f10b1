/** Parts of fits whose first or last row differs from the others: approximations with a mean, iterations of an optimizer. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { csvRequest } from '../../src/formats/csv-request.js';
import { countLeadingRows, leadingRowsAmong } from '../../src/formats/leading-rows.js';
import { csvSetting, csvSettings, readStanCsv } from '../../src/formats/stan-csv.js';
import { TestServer } from './harness.js';

const PROGRAM = 'parameters { real mu; real<lower=0> tau; } model { mu ~ normal(3, 2); tau ~ exponential(1); }';
const MEANFIELD = 'stan::services::experimental::advi::meanfield';
const LBFGS = 'stan::services::optimize::lbfgs';

describe('a part of a fit in CSV', () => {
  let server: TestServer;
  let model: string;
  before(async () => {
    server = await TestServer.start();
    model = await server.model(PROGRAM);
  });
  after(() => server.remove());

  const fitOf = async (body: Readonly<Record<string, unknown>>): Promise<string> => {
    const started = await server.post(`${model}/fits`, { random_seed: 3, ...body });
    const { result } = (await server.finished(started.json.name)).json;
    return `${server.address}/v1/${result.name}`;
  };
  const partOf = async (fit: string, query: string) => {
    const text = await (await fetch(`${fit}?format=csv&${query}`)).text();
    const { columns, entries, head } = readStanCsv(text.split('\n'));
    const rows = entries.flatMap((entry) => (entry.kind === 'draw' ? [entry.values] : []));
    const settings = csvSettings(head);
    const leading = countLeadingRows(leadingRowsAmong(columns, entries, csvRequest(head).function), rows.length);
    return { rows: rows.length, draws: rows.length - leading, setting: (name: string) => csvSetting(settings, name) };
  };

  it('names the method of an approximation only if its first row is the mean', async () => {
    const fit = await fitOf({ function: MEANFIELD, output_samples: 20 });
    for (const variables of ['', '&variables=mu']) {
      for (const [query, draws] of [
        ['', 20],
        ['last=5', 4],
      ] as const) {
        const part = await partOf(fit, query + variables);
        assert.deepEqual([part.rows, part.draws, part.setting('method')], [draws + 1, draws, 'variational'], query);
        assert.equal(part.setting('output_samples'), `${draws}`);
      }
      for (const [query, draws] of [
        ['warmup=false', 20],
        ['first=2', 20],
        ['first=4&last=8', 5],
      ] as const) {
        const part = await partOf(fit, query + variables);
        const found = [part.rows, part.draws, part.setting('method'), part.setting('algorithm')];
        assert.deepEqual(found, [draws, draws, undefined, undefined], query + variables);
      }
    }
  });

  it('names the method of an optimizer only if its last row is the optimum', async () => {
    const fit = await fitOf({ function: LBFGS, save_iterations: true });
    const { rows } = await partOf(fit, '');
    assert.ok(rows > 3);
    for (const [query, saves, found] of [
      ['', true, rows],
      ['first=2', true, rows - 1],
      ['warmup=false', false, 1],
      [`first=${rows}`, false, 1],
    ] as const) {
      const part = await partOf(fit, query);
      assert.deepEqual([part.rows, part.draws, part.setting('method')], [found, 1, 'optimize'], query);
      assert.equal(part.setting('save_iterations'), `${saves}`, query);
    }
    for (const query of [`last=${rows - 1}`, 'first=2&last=3', 'last=2&variables=mu']) {
      await assert.rejects(partOf(fit, query), /without the last one, which is the optimum/, query);
    }
    const text = await (await fetch(`${fit}?format=csv&last=${rows - 1}`)).text();
    assert.doesNotMatch(text, /method = /);
  });
});

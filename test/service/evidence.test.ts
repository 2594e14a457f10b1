/** Log evidences over HTTP, and with the client. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '../../src/client/index.js';
import { TestServer } from './harness.js';

const program = (prior: string) => `data { int n; int y; } parameters { real<lower=0, upper=1> p; }
model { p ~ ${prior}; y ~ binomial(n, p); }`;
const DATA = { n: 12, y: 9 };
/** With a uniform prior, all counts from 0 to n have the same probability. */
const TRUTH = -Math.log(13);

describe('log evidences over HTTP', () => {
  let server: TestServer;
  let client: Client;
  let uniform: string;
  let narrow: string;

  async function fitted(text: string, fields: object = {}): Promise<string> {
    const request = { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', num_samples: 500, num_chains: 2 };
    const body = { ...request, data: DATA, random_seed: 1, ...fields };
    const started = await server.post(`${await server.model(text)}/fits`, body);
    const { result } = (await server.finished(started.json.name)).json;
    assert.equal(result.code, undefined, result.message);
    return result.name;
  }

  before(async () => {
    server = await TestServer.start({ requestTimeout: 30_000 });
    client = new Client(server.address);
    [uniform, narrow] = [await fitted(program('beta(1, 1)')), await fitted(program('beta(2, 20)'))];
  });
  after(() => server.remove());

  it('are estimated from the draws of a fit', async () => {
    const found = await client.fit(uniform).evidence({ data: DATA, random_seed: 2 });
    assert.equal(found.name, uniform);
    assert.equal(found.draws, 1000);
    assert.ok(Math.abs(found.log_evidence - TRUTH) < 5 * found.se_log_evidence, `${found.log_evidence}`);
    assert.ok(found.ok && found.text.startsWith('The chains agree'));
    assert.deepEqual(await client.fit(uniform).evidence({ data: DATA, random_seed: 2 }), found);
  });

  it('yield Bayes factors and probabilities of models', async () => {
    const fits = [{ name: narrow, prior: 3 }, { name: uniform }];
    const { models, text } = await client.compareEvidence(fits, { data: DATA });
    const own = await client.fit(uniform).evidence({ data: DATA });
    const [best, other] = models;
    assert.ok(best !== undefined && other !== undefined);
    assert.deepEqual([best.name, best.log_evidence, best.log_bayes_factor], [uniform, own.log_evidence, 0]);
    assert.deepEqual([other.name, other.prior], [narrow, 0.75]);
    assert.ok(other.log_bayes_factor < -3 && other.se_log_bayes_factor > 0);
    assert.ok(Math.abs(best.posterior + other.posterior - 1) < 1e-12);
    assert.equal(text, '');
  });

  it('are refused for other data and other methods', async () => {
    const refused = async (path: string, body: object) => {
      const { json, status } = await server.post(path, body);
      assert.equal(status, 400);
      return json.message;
    };
    const path = `/v1/${uniform}/evidence`;
    assert.match(await refused(path, { data: { n: 12, y: 2 } }), /differs from lp__ of the draws/);
    assert.match(await refused(path, { data: { n: 12 } }), /variable name=y/);
    const laplace = await fitted(program('beta(1, 1)'), {
      function: 'stan::services::pathfinder::pathfinder_lbfgs_single',
      num_samples: undefined,
      num_chains: undefined,
    });
    assert.match(await refused(`/v1/${laplace}/evidence`, { data: DATA }), /from an approximation/);
    const fits = [
      { name: narrow, data: { ...DATA, y: 2 } },
      { name: uniform, data: DATA },
    ];
    assert.match(await refused('/v1/compare/evidence', { fits }), new RegExp(`^${narrow}: .*differs from lp__`));
    const { json } = await server.post('/v1/compare/evidence', {
      fits: [{ name: narrow, prior: 0 }, { name: uniform }],
    });
    assert.equal(json.details[0].field, '/fits/0/prior');
  });
});

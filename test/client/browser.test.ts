import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { ROOT } from '../project/tree.js';
import { type Serving, serve } from '../support/serving.js';

/** Globals of every browser, without those that only Node has. */
const BROWSER = { AbortController, AbortSignal, fetch, Headers, setTimeout, TextDecoder, URL, URLSearchParams };

const PAGE = `
import { Client } from 'leapfrog/client';
globalThis.done = (async () => {
  const client = new Client(address);
  const model = await client.compile('parameters { real x; } model { x ~ normal(0, 1); }');
  const request = { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', num_samples: 50, num_warmup: 50 };
  const started = await model.fit(request);
  const states = [];
  for await (const { done } of started.progress({ interval: 10 })) states.push(done);
  const draws = [];
  for await (const { values } of started.draws()) draws.push(values.x);
  return { last: states.at(-1), draws: draws.length, gradient: [...(await model.logProbGrad([2])).gradient] };
})();
`;

describe('the client in a page', () => {
  let serving: Serving;
  before(async () => {
    serving = await serve();
  });
  after(() => serving.stop());

  it("is bundled without Node's modules, and iterates over progress and draws", async () => {
    const { outputFiles, warnings } = await build({
      stdin: { contents: PAGE, resolveDir: ROOT },
      bundle: true,
      platform: 'browser',
      format: 'iife',
      write: false,
      logLevel: 'silent',
    });
    assert.deepEqual(warnings, []);
    assert.ok(outputFiles[0].contents.length < 30_000, `${outputFiles[0].contents.length} bytes`);
    const page = createContext({ ...BROWSER, address: serving.address });
    runInContext(outputFiles[0].text, page);
    const found = JSON.parse(JSON.stringify(await page.done));
    assert.deepEqual(found, { last: true, draws: 50, gradient: [-2] });
  });
});

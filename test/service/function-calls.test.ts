import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TestServer } from './harness.js';

const PROGRAM = `functions {
  real ratio(real x, real y) {
    print("dividing");
    return x / y;
  }
  matrix outer(vector x) { return x * x'; }
  array[] int draw_rng(int n) { array[n] int x; for (k in 1:n) x[k] = poisson_rng(100); return x; }
  void refuse(int n) { reject("n is ", n); }
  real endless(real x) { while (1) print(""); return x; }
  real add_lp(real x) { target += x; return x; }
}
parameters { real y; }
model { y ~ std_normal(); }`;

describe('functions of a program over HTTP', () => {
  let server: TestServer;
  let model: string;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 5000 });
    model = await server.model(PROGRAM);
  });
  after(() => server.remove());

  const call = (name: string, body: object, query = '') => server.post(`${model}/functions/${name}${query}`, body);

  test("are called with values in Stan's JSON format", async () => {
    const ratio = await call('ratio', { arguments: [1, 4] });
    assert.equal(ratio.status, 200, ratio.text);
    assert.deepEqual(ratio.json, {
      result: 0.25,
      type: 'real',
      signature: 'real ratio(real x, real y)',
      output: 'dividing\n',
    });
    assert.deepEqual((await call('outer', { arguments: [[1, 2]] })).json.result, [
      [1, 2],
      [2, 4],
    ]);
    assert.equal((await call('ratio', { arguments: ['Infinity', 1] })).json.result, 'Infinity');
    assert.match((await call('ratio', { arguments: ['Infinity', 1] }, '?nonfinite=literal')).text, /"result":Infinity/);
  });

  test('draw with a seed, which is drawn if absent', async () => {
    const drawn = (await call('draw_rng', { arguments: [5] })).json;
    const again = (await call('draw_rng', { arguments: [5], random_seed: drawn.random_seed })).json;
    assert.deepEqual(again, drawn);
    assert.equal(drawn.result.length, 5);
  });

  test('are rejected with a reason and a location', async () => {
    const cases: readonly (readonly [string, object, RegExp])[] = [
      ['refuse', { arguments: [3] }, /"Exception: n is 3 \(in 'string', line 8, column 23 to column 42\)"/],
      ['ratio', { arguments: [1] }, /takes 2 arguments, but 1 were given/],
      ['ratio', { arguments: [1, [2]] }, /y must be a real, but is an array/],
      ['ratio', { arguments: { x: 1 } }, /"\/arguments","message":"must be an array/],
      ['ratio', { argument: [1] }, /argument/],
      ['ratios', {}, /Did you mean ratio\?/],
      ['add_lp', { arguments: [1] }, /changes the log density/],
    ];
    for (const [name, body, message] of cases) {
      const { json, status } = await call(name, body);
      assert.equal(status, 400);
      assert.match(JSON.stringify(json), message);
    }
    assert.equal((await server.post('/v1/models/nothing/functions/f', {})).status, 404);
  });

  test('that never return end at the time limit', async () => {
    const { json, status } = await call('endless', { arguments: [1] });
    assert.equal(status, 503);
    assert.match(json.message, /Calling the function/);
    assert.equal((await call('ratio', { arguments: [1, 1] })).json.result, 1);
  });
});

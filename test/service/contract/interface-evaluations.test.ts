/** http-interface.md and contract.md: log_prob, log_prob_grad, write_array, transform_inits, data and numbers. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TestServer } from '../harness.js';
import { BERNOULLI, BERNOULLI_DATA, NORMAL } from './programs.js';

describe('evaluations', () => {
  let server: TestServer;
  let bernoulli: string;
  let normal: string;
  const point = { data: BERNOULLI_DATA, unconstrained_parameters: [0] };
  const near = (found: number, expected: number) => assert.ok(Math.abs(found - expected) < 1e-12, `${found}`);
  before(async () => {
    server = await TestServer.start({ workerMemory: 512 });
    [bernoulli, normal] = await Promise.all([server.model(BERNOULLI), server.model(NORMAL)]);
  });
  after(() => server.remove());

  test('log_prob: Request body: JSON array of numbers (the unconstrained parameters). 200 OK: object with log_prob (number).', async () => {
    const answer = await server.post(`${normal}/log_prob`, [2]);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { log_prob: -2 });
  });

  test('log_prob_grad: 200 OK: object with grad_log_prob (array of number).', async () => {
    assert.deepEqual((await server.post(`${normal}/log_prob_grad`, [2])).json.grad_log_prob, [-2]);
  });

  test('log_prob_grad answers the gradient under BOTH names, grad_log_prob and log_prob_grad, plus log_prob.', async () => {
    const { json } = await server.post(`${normal}/log_prob_grad`, [2]);
    assert.deepEqual(json, { log_prob: -2, grad_log_prob: [-2], log_prob_grad: [-2] });
  });

  test('write_array: 200 OK: object with params_r_constrained (array of number), optionally including transformed parameters and generated quantities.', async () => {
    assert.deepEqual((await server.post(`${normal}/write_array`, [2])).json, { params_r_constrained: [2] });
    const whole = (await server.post(`${bernoulli}/write_array`, point)).json.params_r_constrained;
    assert.deepEqual(whole, [0.5, 1]);
    const parameters = { ...point, include_gqs: false, include_tparams: false };
    assert.deepEqual((await server.post(`${bernoulli}/write_array`, parameters)).json.params_r_constrained, [0.5]);
  });

  test('write_array takes random_seed.', async () => {
    const model = await server.model('generated quantities { real z = normal_rng(0, 1); }');
    const draw = async (random_seed: number) =>
      (await server.post(`${model}/write_array`, { unconstrained_parameters: [], random_seed })).json
        .params_r_constrained;
    assert.deepEqual(await draw(1), await draw(1));
    assert.notDeepEqual(await draw(1), await draw(2));
  });

  test('transform_inits: {data?, constrained_parameters}. 200 OK: object with params_r_unconstrained (array of number).', async () => {
    const body = { data: BERNOULLI_DATA, constrained_parameters: { theta: 0.5 } };
    assert.deepEqual((await server.post(`${bernoulli}/transform_inits`, body)).json, { params_r_unconstrained: [0] });
  });

  test('transform_inits: unknown names are ignored, missing ones are an error.', async () => {
    const transform = (constrained_parameters: object) =>
      server.post(`${bernoulli}/transform_inits`, { data: BERNOULLI_DATA, constrained_parameters });
    assert.equal((await transform({ theta: 0.5, odds: 1, other: 'x' })).status, 200);
    const missing = await transform({ odds: 1 });
    assert.equal(missing.status, 400);
    assert.match(missing.json.message, /theta/);
  });

  test('log_prob and log_prob_grad drop constant terms of ~ and _lupdf; with adjust_transform: false the Jacobian of the transforms is left out.', async () => {
    near((await server.post(`${bernoulli}/log_prob`, point)).json.log_prob, 12 * Math.log(0.5));
    const plain = { ...point, adjust_transform: false };
    near((await server.post(`${bernoulli}/log_prob`, plain)).json.log_prob, 10 * Math.log(0.5));
  });

  test('either a bare JSON array of numbers (the model then has no data) or an object {data?, unconstrained_parameters, adjust_transform? = true}.', async () => {
    for (const method of ['log_prob', 'log_prob_grad', 'write_array']) {
      const bare = await server.post(`${normal}/${method}`, [2]);
      assert.equal(bare.status, 200);
      assert.deepEqual((await server.post(`${normal}/${method}`, { unconstrained_parameters: [2] })).json, bare.json);
      const without = await server.post(`${bernoulli}/${method}`, [0]);
      assert.equal(without.status, 400);
      assert.match(without.json.message, /variable name=N/);
    }
    for (const method of ['log_prob', 'log_prob_grad']) {
      const adjusted = await server.post(`${bernoulli}/${method}`, { ...point, adjust_transform: true });
      assert.deepEqual(adjusted.json, (await server.post(`${bernoulli}/${method}`, point)).json);
    }
  });

  test('log_prob and log_prob_grad drop constant terms of _lupdf, not those of _lpdf; the gradient also leaves out the Jacobian.', async () => {
    const density = async (statement: string) => {
      const model = await server.model(`parameters { real<lower=0> x; } model { ${statement} }`);
      const plain = { unconstrained_parameters: [0], adjust_transform: false };
      return (await server.post(`${model}/log_prob_grad`, plain)).json;
    };
    assert.deepEqual((await density('target += normal_lupdf(x | 0, 1);')).log_prob, -0.5);
    near((await density('target += normal_lpdf(x | 0, 1);')).log_prob, -0.5 - 0.5 * Math.log(2 * Math.PI));
    const { grad_log_prob } = await density('x ~ normal(0, 1);');
    near(grad_log_prob[0], -1);
  });

  for (const method of ['log_prob', 'log_prob_grad', 'write_array']) {
    test(`${method}: 400 Bad Request: error in the request. 404 Not Found: model not found.`, async () => {
      for (const body of [undefined, {}, [0, 1], ['x'], [[0]], 1, 'null', { ...point, other: 1 }, '{']) {
        assert.equal((await server.post(`${normal}/${method}`, body)).status, 400, JSON.stringify(body));
      }
      assert.equal((await server.post(`/v1/models/abcdefghijklmnopqrstuvwx/${method}`, [0])).status, 404);
    });
  }

  test('transform_inits: 400 Bad Request: error in the request. 404 Not Found: model not found.', async () => {
    assert.equal((await server.post(`${normal}/transform_inits`, {})).status, 400);
    assert.equal((await server.post(`${normal}/transform_inits`, { constrained_parameters: 1 })).status, 400);
    const body = { constrained_parameters: { x: 1 } };
    assert.equal((await server.post('/v1/models/abcdefghijklmnopqrstuvwx/transform_inits', body)).status, 404);
  });

  describe('data', () => {
    const read = async (declaration: string, data: string) => {
      const model = await server.model(`data { ${declaration} x; } generated quantities { ${declaration} y = x; }`);
      return server.post(`${model}/write_array`, `{"data": {"x": ${data}}, "unconstrained_parameters": []}`);
    };
    const value = async (declaration: string, data: string) => {
      const answer = await read(declaration, data);
      assert.equal(answer.status, 200, answer.text);
      return answer.json.params_r_constrained;
    };

    test('Numbers, nested arrays (matrices row by row), [] for any empty shape.', async () => {
      assert.deepEqual(await value('real', '1.5'), [1.5]);
      assert.deepEqual(await value('array[2, 2] int', '[[1, 2], [3, 4]]'), [1, 3, 2, 4]);
      assert.deepEqual(await value('matrix[2, 3]', '[[1, 2, 3], [4, 5, 6]]'), [1, 4, 2, 5, 3, 6]);
      assert.deepEqual(await value('matrix[0, 3]', '[]'), []);
      assert.deepEqual(await value('array[2, 0] real', '[[], []]'), []);
    });

    test('non-finite values as strings "NaN", "Inf", "Infinity", "+Inf", "-Inf", "-Infinity", and as the bare tokens NaN, Infinity, -Infinity.', async () => {
      assert.deepEqual(await value('vector[3]', '["NaN", "Inf", "Infinity"]'), ['NaN', 'Infinity', 'Infinity']);
      assert.deepEqual(await value('vector[3]', '["+Inf", "-Inf", "-Infinity"]'), [
        'Infinity',
        '-Infinity',
        '-Infinity',
      ]);
      assert.deepEqual(await value('vector[3]', '[NaN, Infinity, -Infinity]'), ['NaN', 'Infinity', '-Infinity']);
    });

    test('complex as [re, im] (or arrays with a last axis of 2); tuples as {"1":…, "2":…}.', async () => {
      assert.deepEqual(await value('complex', '[1, 2]'), [1, 2]);
      assert.deepEqual(await value('array[2] complex', '[[1, 2], [3, 4]]'), [1, 2, 3, 4]);
      assert.deepEqual(await value('tuple(int, vector[2])', '{"1": 1, "2": [2, 3]}'), [1, 2, 3]);
    });

    test('An integer variable takes 1 and refuses 1.5; 1.0 for an int is refused as in Stan.', async () => {
      assert.deepEqual(await value('int', '1'), [1]);
      assert.equal((await read('int', '1.5')).status, 400);
      assert.match((await read('int', '1.0')).json.message, /non-int.*x/);
    });

    test("true/false and null are refused with the variable's name.", async () => {
      for (const wrong of ['true', 'false', 'null', '[null]']) {
        const answer = await read('real', wrong);
        assert.equal(answer.status, 400);
        assert.match(answer.json.message, /\bx\b/);
      }
    });
  });

  describe('numbers out', () => {
    const evaluate = (query: string) => server.post(`${normal}/write_array${query}`, '["NaN"]');

    test('Default: bare NaN, Infinity, -Infinity tokens never appear; they are the strings "NaN", "Infinity", "-Infinity".', async () => {
      assert.equal((await evaluate('')).text, '{"params_r_constrained":["NaN"]}\n');
      assert.equal(
        (await server.post(`${normal}/write_array`, ['Inf'])).text,
        '{"params_r_constrained":["Infinity"]}\n',
      );
      assert.equal((await server.post(`${normal}/log_prob`, ['Inf'])).text, '{"log_prob":"-Infinity"}\n');
    });

    test('A request with ?nonfinite=literal gets the bare tokens, ?nonfinite=null gets null.', async () => {
      assert.equal((await evaluate('?nonfinite=literal')).text, '{"params_r_constrained":[NaN]}\n');
      assert.equal((await evaluate('?nonfinite=null')).text, '{"params_r_constrained":[null]}\n');
      assert.equal((await evaluate('?nonfinite=other')).status, 400);
    });

    test('the server option --nonfinite sets the default.', async (context) => {
      const literal = await TestServer.start({ nonFinite: 'literal', workerMemory: 512 });
      context.after(() => literal.remove());
      const model = await literal.model(NORMAL);
      assert.equal((await literal.post(`${model}/write_array`, [null])).status, 400);
      assert.equal((await literal.post(`${model}/write_array`, '[NaN]')).text, '{"params_r_constrained":[NaN]}\n');
    });

    test('Finite doubles print so that reading them back gives the same double.', async () => {
      const values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0, 123456789012345680000, 2 ** -1074 * 3];
      const model = await server.model('parameters { vector[7] x; }');
      const answer = await server.post(
        `${model}/write_array`,
        `[${values.map((each) => (Object.is(each, -0) ? '-0.0' : String(each)))}]`,
      );
      assert.equal(answer.status, 200, answer.text);
      for (const [index, each] of answer.json.params_r_constrained.entries())
        assert.ok(Object.is(each, values[index]), `${each}`);
    });
  });
});

/** Functions that store matrices with the dimension of the parameters, with programs for which these are slow or huge. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CommandFolder } from '../cli/command.js';
import { TestServer } from './harness.js';

const NEWTON = 'stan::services::optimize::newton';
const LAPLACE = 'stan::services::laplace_sample';
const DENSE = 'stan::services::sample::hmc_nuts_dense_e_adapt';
const FULLRANK = 'stan::services::experimental::advi::fullrank';

const vector = (size: number, model: string) => `parameters { vector[${size}] x; } model { ${model} }`;
const WIDE = vector(20_000, 'x ~ std_normal();');
const DEEP = `parameters { real x; } model { target += ${'sin('.repeat(400)}x${' + 1)'.repeat(400)}; }`;
const LONG = vector(50, 'real s = 0; for (i in 1:100000000) s += square(x[1 + i % 50]) * 1e-9; target += -s;');
const LARGE = vector(10, 'matrix[6000, 6000] m = rep_matrix(x[1], 6000, 6000); target += -sum(m * m) - dot_self(x);');

describe('hostile Hessians', () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ requestTimeout: 20_000, operationTimeout: 3000, workerMemory: 256 });
  });
  after(() => server.remove());

  async function outcome(program: string, functionName: string, size: number) {
    const model = await server.model(program);
    const mode = functionName === LAPLACE ? { mode: { x: size === 1 ? 0.1 : Array(size).fill(0.1) } } : {};
    const { json } = await server.post(`${model}/fits`, { function: functionName, random_seed: 1, ...mode });
    if (json.name === undefined) return json;
    return (await server.finished(json.name)).json.result;
  }

  const goesOn = async () => {
    assert.equal((await server.get('/v1/health')).status, 200);
    const { name } = await outcome(vector(2, 'x ~ std_normal();'), NEWTON, 2);
    assert.match(name, /fits/);
  };

  for (const functionName of [NEWTON, LAPLACE, DENSE, FULLRANK]) {
    it(`of 20,000 parameters are rejected before a matrix is allocated, by ${functionName}`, async () => {
      const { message } = await outcome(WIDE, functionName, 20_000);
      assert.match(message, /needs \d+ MiB for \d matrices of 20000 by 20000; the memory limit is 256 MiB/);
      await goesOn();
    });
  }

  for (const functionName of [NEWTON, LAPLACE]) {
    it(`end at the limits of time and memory, by ${functionName}`, async () => {
      const long = await outcome(LONG, functionName, 50);
      assert.match(long.message, /took longer than 3 s \(--operation-timeout\)/);
      const large = await outcome(LARGE, functionName, 10);
      assert.match(large.message, /memory|took longer/);
      await goesOn();
    });

    it(`of deep expressions end, by ${functionName}`, async () => {
      const deep = await outcome(DEEP, functionName, 1);
      assert.ok(deep.name !== undefined || deep.code === 400 || deep.code === 503, JSON.stringify(deep));
      await goesOn();
    });
  }

  it('are rejected on the command line', async () => {
    const place = await CommandFolder.create({ 'wide.stan': WIDE });
    const { code, errors } = await place.run('optimize', 'wide.stan', '--algorithm', 'newton', '--memory', '256');
    await place.remove();
    assert.equal(code, 1);
    assert.match(errors, /needs 12208 MiB for 4 matrices of 20000 by 20000; the memory limit is 256 MiB/);
  });
});

/** Functions with second derivatives draw the same numbers from the same seed at every entry point. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { close, compile } from 'leapfrog';
import { withOwnModule } from '../../src/chain/own-module.js';
import type { RunRequest } from '../../src/chain/request.js';
import { layOutHome } from '../../src/cmdstan/home.js';
import { readStanCsv } from '../../src/formats/stan-csv.js';
import { RecordingSink } from '../../src/inference/testing/recording-sink.js';
import { compiler, engine } from '../../src/node/engine.js';
import { CommandFolder } from '../cli/command.js';
import { drawsOf } from '../support/draws.js';
import { TestServer } from './harness.js';

const PROGRAM = `data { int N; vector[N] x; array[N] int y; }
parameters { real a; real<lower=0> b; }
model { a ~ normal(0, 1); b ~ lognormal(0, 1); y ~ poisson_log(a + b * x); }
`;
const DATA = { N: 4, x: [-1, 0.2, 0.5, 1.5], y: [0, 1, 2, 7] };
const MODE = { a: 0.3, b: 1.1 };
const NEWTON = 'stan::services::optimize::newton';
const LAPLACE = 'stan::services::laplace_sample';
const SEED = 3;
const DRAWS = 3;

/** Draws of a and b from the engine alone, and its log. */
async function engineDraws(functionName: string, program: string, isTextKnown: boolean) {
  const source = { program, includes: {} };
  const compiled = await engine.compile(source);
  assert.ok(compiled.compiled);
  const { artifact, wasm } = compiled;
  const sink = new RecordingSink();
  const request: RunRequest = {
    model: { id: 'model', artifact, module: new WebAssembly.Module(new Uint8Array(wasm)) },
    ...(isTextKnown && { source }),
    data: JSON.stringify(DATA),
    inputs:
      functionName === LAPLACE
        ? { mode: { kind: 'values', text: JSON.stringify(MODE) } }
        : { init: { kind: 'values', text: JSON.stringify(MODE) } },
    limits: { maximumMemory: 2 ** 30 },
    arguments: functionName === LAPLACE ? { draws: DRAWS, chain: 1 } : { chain: 1 },
    seed: SEED,
    chain: 1,
    index: 0,
  };
  const own = withOwnModule(compiler, functionName, request);
  const outcome = await engine.run(functionName, own, { open: () => sink });
  assert.equal(outcome.kind, 'finished');
  return { draws: sink.draws.map((draw) => [...draw.slice(-2)]), lines: sink.lines };
}

describe('second derivatives', () => {
  let server: TestServer;
  let place: CommandFolder;
  let expected: Readonly<Record<string, readonly (readonly number[])[]>>;

  before(async () => {
    server = await TestServer.start({ requestTimeout: 60_000 });
    const files = { 'data.json': JSON.stringify(DATA), 'mode.json': JSON.stringify(MODE), 'model.stan': PROGRAM };
    place = await CommandFolder.create(files);
    const [newton, laplace] = await Promise.all(
      [NEWTON, LAPLACE].map((name) => engineDraws(name, PROGRAM, true).then(({ draws }) => draws)),
    );
    expected = { newton, laplace };
  });
  after(async () => {
    close();
    await server.remove();
    await place.remove();
  });

  it('differ from differences only in the last digits', async () => {
    const { draws } = await engineDraws(LAPLACE, PROGRAM, false);
    assert.notDeepEqual(draws, expected.laplace);
    for (const [k, draw] of draws.entries()) {
      for (const [i, value] of draw.entries()) assert.ok(Math.abs(value - expected.laplace[k][i]) < 1e-8);
    }
  });

  it('are reported in the log if they are differences', async () => {
    const program = PROGRAM.replace('model {', 'model { target += beta_lcdf(0.3 | b, 2);');
    for (const name of [NEWTON, LAPLACE]) {
      const { lines } = await engineDraws(name, program, true);
      const told = lines.filter((line) => line.includes('Second derivatives are differences of gradients'));
      assert.equal(told.length, 1, name);
      assert.match(told[0], /the function log_inc_beta has none\./);
    }
  });

  it('are the same over HTTP', async () => {
    const model = await server.model(PROGRAM);
    const requests = {
      newton: { function: NEWTON, init: MODE },
      laplace: { function: LAPLACE, mode: MODE, draws: DRAWS },
    };
    for (const [name, request] of Object.entries(requests)) {
      const started = await server.post(`${model}/fits`, { ...request, data: DATA, random_seed: SEED });
      assert.equal(started.status, 201, started.text);
      const ended = await server.finished(started.json.name);
      const draws = drawsOf((await server.get(`/v1/${ended.json.result.name}`)).text);
      assert.deepEqual(
        rowsOf((column) => draws.get(column)?.[0] ?? []),
        expected[name],
      );
    }
  });

  it('are the same in the library', async () => {
    const model = await compile(PROGRAM);
    const newton = await model.optimize({ data: DATA, algorithm: 'newton', init: MODE, random_seed: SEED }).result();
    const laplace = await model.laplace({ data: DATA, mode: MODE, draws: DRAWS, random_seed: SEED }).result();
    assert.deepEqual(
      rowsOf((column) => newton.column(column)[0]),
      expected.newton,
    );
    assert.deepEqual(
      rowsOf((column) => laplace.column(column)[0]),
      expected.laplace,
    );
  });

  it('are the same on the command line', async () => {
    const common = ['--data', 'data.json', '--seed', String(SEED), '--sig-figs', '17'];
    const runs = {
      newton: ['optimize', 'model.stan', '--algorithm', 'newton', '--init', 'mode.json'],
      laplace: ['laplace', 'model.stan', '--mode', 'mode.json', '--draws', String(DRAWS)],
    };
    for (const [name, words] of Object.entries(runs)) {
      const { code, errors } = await place.run(...words, ...common, '--output', `${name}.csv`);
      assert.equal(code, 0, errors);
      assert.deepEqual(csvRows(`${name}.csv`), expected[name]);
    }
  });

  it('are the same in an executable of a CmdStan home', () => {
    layOutHome(place.path('home'));
    const run = (command: string, ...words: readonly string[]) => {
      const { status, stderr } = spawnSync(command, words, { cwd: place.folder, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    };
    run('home/bin/stanc', '--o=model', '--executable=', 'model.stan');
    const common = ['data', 'file=data.json', 'random', `seed=${SEED}`, 'output', 'sig_figs=17'];
    run('./model', 'optimize', 'algorithm=newton', ...common, 'file=home-newton.csv', 'init=mode.json');
    run('./model', 'laplace', 'mode=mode.json', `draws=${DRAWS}`, ...common, 'file=home-laplace.csv');
    assert.deepEqual(csvRows('home-newton.csv'), expected.newton);
    assert.deepEqual(csvRows('home-laplace.csv'), expected.laplace);
  });

  function csvRows(name: string): readonly (readonly number[])[] {
    const { entries } = readStanCsv(readFileSync(place.path(name), 'utf8').split('\n'));
    return entries.flatMap((entry) => (entry.kind === 'draw' ? [[...entry.values].slice(-2)] : []));
  }
});

function rowsOf(column: (name: string) => ArrayLike<number>): readonly (readonly number[])[] {
  const [a, b] = ['a', 'b'].map((name) => Array.from(column(name)));
  return a.map((value, k) => [value, b[k]]);
}

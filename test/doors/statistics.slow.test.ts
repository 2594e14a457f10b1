/**
 * Statistics of the same fits at several entry points: summaries, diagnoses, leave-one-out cross-validation and comparisons must be equal bit by
 * bit, because every entry point judges the same columns of the same chains. `test/web/statistics.slow.test.ts` compares the page.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { close, compare, compile, type Fit, type Model } from 'leapfrog';
import { displayName } from '../../src/formats/columns.js';
import { methodNamed } from '../../src/requests/methods.js';
import { CommandFolder } from '../cli/command.js';
import { type Answer, TestServer } from '../service/harness.js';
import { type DoorCompared, doorCompared } from './door.js';
import type { ProcessFit, ProcessSession } from './process.js';
import { pythonDoor } from './python.js';
import { rDoor } from './r.js';
import {
  CASES,
  COMPARED,
  chainsOf,
  DATA,
  estimatesOf,
  type FitCase,
  fitInFiles,
  linesOf,
  numbersOf,
  ofLibrary,
  optionsOf,
  REFUSED,
  requestOf,
  SENT,
  type Statistics,
  VALIDATED,
} from './statistics.js';

const SESSION = fileURLToPath(new URL('./statistics-session.js', import.meta.url));
const hasLikelihood = ({ loo }: Statistics) => loo !== undefined;

describe('statistics of one fit at several entry points', () => {
  let place: CommandFolder;
  let server: TestServer;
  const models = new Map<string, Model>();
  const references = new Map<string, Statistics>();
  const fits = new Map<string, Fit>();

  before(async () => {
    place = await CommandFolder.create({ 'data.json': JSON.stringify(DATA), 'mode.json': '{"mu": 0.48}' });
    server = await TestServer.start({ requestTimeout: 60_000, workerMemory: 1024 });
    for (const each of CASES) {
      const { method, name, program } = each;
      writeFileSync(place.path(`${name}.stan`), program);
      const model = models.get(program) ?? (await compile(program));
      models.set(program, model);
      const run = await model.runMethod(method, { ...requestOf(each), data: JSON.stringify(DATA) });
      const fit = await run.result();
      fits.set(name, fit);
      references.set(name, await ofLibrary(fit));
    }
  });
  after(async () => {
    close();
    await server.remove();
    await place.remove();
  });

  function reference(name: string): Statistics {
    const found = references.get(name);
    assert.ok(found, name);
    return found;
  }

  /** What the library reports for a comparison. */
  async function comparisonOf(names: readonly string[]): Promise<readonly DoorCompared[]> {
    const loos = await Promise.all(names.map(async (name) => [name, await fits.get(name)?.loo()] as const));
    const known = Object.fromEntries(loos.flatMap(([name, loo]) => (loo === undefined ? [] : [[name, loo]])));
    return doorCompared(compare(known).models);
  }

  /** The outputs of commands that run in one process. */
  function outputsOf(commands: readonly (readonly string[])[]): readonly string[] {
    const words = [SESSION, JSON.stringify(commands)];
    const options = { cwd: place.folder, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    const { status, stderr, stdout } = spawnSync(process.execPath, words, options);
    assert.equal(status, 0, stderr);
    return stdout.split('\u001e\n');
  }

  const filesOf = (name: string, chains = 4) =>
    chains === 1 ? [`${name}.csv`] : Array.from({ length: chains }, (_, chain) => `${name}_${chain + 1}.csv`);

  /** The statistics that the command line and the tools of a CmdStan folder report for files. */
  function commandsOn(files: readonly string[], validates: boolean): readonly (readonly string[])[] {
    return [
      ['summary', ...files, '--format', 'json'],
      ['diagnose', ...files],
      ['bin/diagnose', ...files],
      ['bin/stansummary', '-s', '17', '-c', `${files[0]}.summary`, ...files],
      ...(validates ? [['loo', ...files, '--format', 'json']] : []),
    ];
  }

  function statisticsIn([summary, diagnosis, , , loo]: readonly string[]): Statistics {
    const summaries: readonly { readonly name: string }[] = JSON.parse(summary);
    return {
      summary: Object.fromEntries(summaries.map((each) => [each.name, numbersOf(each)])),
      diagnosis: diagnosis.split('\n').filter((line) => /^(ok {5}|problem) {2}/.test(line)),
      loo: loo?.startsWith('{') === true ? estimatesOf(JSON.parse(loo)) : loo && REFUSED,
    };
  }

  /** The table of `bin/stansummary` has the means of the summary, and `bin/diagnose` the same columns. */
  function assertTools([, , diagnosis]: readonly string[], table: string, expected: Statistics): void {
    const rows = readFileSync(place.path(table), 'utf8').split('\n');
    const row = rows.find((line) => line.startsWith('lp__,') || line.startsWith('"lp__",')) ?? '';
    assert.equal(Number(row.split(',')[1]), expected.summary.lp__[0]);
    const isUnusable = expected.diagnosis.some((line) => line.includes('draws are NaN or infinite'));
    assert.equal(diagnosis.includes('draws are NaN or infinite'), isUnusable, diagnosis);
    assert.doesNotMatch(diagnosis, /^ {2}.*\b(y|log_lik)\[/m);
  }

  it('are those of the library in files of the command line, and in its tools', () => {
    const runs = CASES.map((each) => [
      each.method,
      `${each.name}.stan`,
      ...['--data', 'data.json', '--output', `${each.name}.csv`, '--sig-figs', '17'],
      ...(each.method === 'sample' ? ['--refresh', '0'] : []),
      ...optionsOf(each),
    ]);
    const printed = outputsOf(runs);
    const reports = CASES.map((each) => commandsOn(filesOf(each.name, chainsOf(each)), VALIDATED.includes(each.name)));
    const outputs = [...outputsOf(reports.flat())];
    for (const [index, { method, name }] of CASES.entries()) {
      const expected = reference(name);
      const own = outputs.splice(0, reports[index].length);
      const { loo = expected.loo, ...found } = statisticsIn(own);
      assert.deepEqual({ ...found, loo }, expected, name);
      if (method !== 'sample') continue;
      assertTools(own, `${reports[index][1][1]}.summary`, expected);
      // The report at the end of the run has the same problems.
      const problems = expected.diagnosis.filter((line) => line.startsWith('problem')).map((line) => line.slice(9));
      const warnings = printed[index].split('\n').filter((line) => line.startsWith('warning: '));
      assert.deepEqual(
        warnings,
        problems.map((line) => `warning: ${line}`),
        name,
      );
    }
    assert.match(reference('nan').diagnosis.join('\n'), /problem {2}w: \d+ of 800 draws are NaN or infinite/);
    assert.doesNotMatch(reference('generated').diagnosis.join('\n'), /y\[|log_lik/);
    assert.deepEqual(reference('simulation').diagnosis.length, 1);
    for (const names of COMPARED) {
      const files = names.flatMap((name) => filesOf(name, Number(fits.get(name)?.chains.length)));
      comparisons.push(['compare', ...files, '--format', 'json']);
    }
  });
  const comparisons: string[][] = [];

  it('are those of the library in comparisons of the command line', async () => {
    for (const [index, output] of outputsOf(comparisons).entries())
      if (index < COMPARED.length)
        assert.deepEqual(doorCompared(JSON.parse(output)), await comparisonOf(COMPARED[index]));
  });

  async function ofServer(fit: string, validates: boolean): Promise<Statistics> {
    const summary = (await server.get(`/v1/${fit}/summary`)).json;
    const variables: readonly { readonly name: string }[] = summary.variables;
    const { findings } = (await server.get(`/v1/${fit}/diagnose`)).json;
    const loo: Answer | undefined = validates ? await server.get(`/v1/${fit}/loo`) : undefined;
    const observations: readonly object[] | undefined = loo?.json.observations;
    return {
      summary: Object.fromEntries(variables.map((each) => [displayName(each.name), numbersOf(each, SENT)])),
      diagnosis: linesOf(findings),
      loo: observations?.map((each) => numbersOf(each, ['elpd_loo', 'pareto_k'])) ?? (loo && REFUSED),
    };
  }

  /** The request for a fit: the function that the library chose, without the arguments that choose it. */
  function bodyOf(each: FitCase): object {
    const selectors = methodNamed(each.method).selectors.map(({ name }) => name);
    const fields = Object.entries(requestOf(each)).filter(([name]) => !selectors.includes(name));
    const { num_paths, ...rest } = Object.fromEntries(fields);
    const asked = fits.get(each.name)?.asked.function;
    return { ...rest, ...(num_paths > 1 && { num_paths }), function: asked, data: DATA };
  }

  it('are those of the library over HTTP', async () => {
    const names = new Map<string, string>();
    for (const each of CASES) {
      const started = await server.post(`${await server.model(each.program)}/fits`, bodyOf(each));
      assert.equal(started.status, 201, started.text);
      const { result } = (await server.finished(started.json.name)).json;
      names.set(each.name, result.name);
      const expected = reference(each.name);
      assert.deepEqual(await ofServer(result.name, hasLikelihood(expected)), expected, each.name);
    }
    for (const compared of COMPARED) {
      const body = { fits: compared.map((name) => ({ name: names.get(name) })), data: DATA };
      const models: readonly Readonly<Record<string, unknown>>[] = (await server.post('/v1/compare', body)).json.models;
      const found = models.map(({ elpd_diff, elpd_loo, name, pseudo_bma_plus, se_diff, stacking }) => ({
        name: compared.find((own) => names.get(own) === name),
        elpd: elpd_loo,
        difference: elpd_diff,
        standardError: se_diff,
        stacking,
        pseudoBmaPlus: pseudo_bma_plus,
      }));
      assert.deepEqual(found, await comparisonOf(compared));
    }
  });

  for (const door of [pythonDoor, rDoor])
    it(`are those of the library in ${door.name}`, { skip: door.skip }, async () => {
      const session = await door.open();
      try {
        await assertSession(session);
      } finally {
        await session.close();
      }
    });

  async function assertSession(session: ProcessSession): Promise<void> {
    const made = new Map<string, { readonly fit: ProcessFit }>();
    for (const each of CASES) {
      const { method, name, program } = each;
      const { fit, statistics } = await session.statistics({ program, method, data: DATA, ...requestOf(each) });
      made.set(name, { fit: { fit, columns: [], chains: [] } });
      const { diagnosis, loo, summary } = reference(name);
      assert.deepEqual(
        statistics,
        statistics.summary === undefined ? { diagnosis } : { summary, diagnosis, ...(loo && { loo }) },
        name,
      );
    }
    for (const compared of COMPARED) {
      const chosen = compared.flatMap((name) => [[name, made.get(name)]]);
      assert.deepEqual(await session.compare(Object.fromEntries(chosen)), await comparisonOf(compared));
    }
  }

  /** A fit that was cancelled after its first block, and its chains in CSV files. */
  async function cancelled(): Promise<{ readonly fit: string; readonly files: readonly string[] }> {
    const { program } = CASES[2];
    const model = await server.model(program);
    const request = { function: 'stan::services::sample::hmc_nuts_diag_e_adapt', num_samples: 100, num_chains: 2 };
    const until = { ess_bulk: 1e9, max_iterations: 1e6 };
    const body = { ...request, until, random_seed: 40, data: DATA, on_cancel: 'keep' };
    const started = await server.post(`${model}/fits`, body);
    assert.equal(started.status, 201, started.text);
    const path = `/v1/${started.json.name}`;
    for (;;) {
      const { json, text } = await server.get(path);
      assert.equal(json.done, false, text);
      // The draws are kept up to the last check of the rule.
      if (json.metadata.shortfall !== undefined) break;
      await pause(10);
    }
    await server.delete(path);
    const { metadata } = (await server.finished(started.json.name)).json;
    const files: string[] = [];
    for (const chain of [1, 2]) {
      const { status, text } = await server.get(`/v1/${metadata.kept.name}?format=csv&chain=${chain}`);
      assert.equal(status, 200, text);
      writeFileSync(place.path(`cancelled_${chain}.csv`), text);
      files.push(`cancelled_${chain}.csv`);
    }
    return { fit: metadata.kept.name, files };
  }

  it('are those of the library in files of other programs, of cancelled fits, and with chains of unequal length', async () => {
    const cut = filesOf('generated').map((file, index) => {
      const lines = readFileSync(place.path(file), 'utf8').split('\n');
      const kept = lines.filter((line) => !/^# (blocks|.*max_depth) = /.test(line));
      const header = kept.findIndex((line) => line.startsWith('lp__'));
      // The last chain has no draws.
      const text = kept.slice(0, header + 1 + (index === 3 ? 0 : 200 + 10 * index)).join('\n');
      writeFileSync(place.path(`cut_${index + 1}.csv`), `${text}\n`);
      return `cut_${index + 1}.csv`;
    });
    const cmdstan = ['chain_1', 'chain_2', 'laplace', 'generated'].map((name) => {
      const url = new URL(`../../../test/reference/cmdstan/${name}.txt`, import.meta.url);
      writeFileSync(place.path(`cmdstan_${name}.csv`), readFileSync(url));
      return `cmdstan_${name}.csv`;
    });
    const sampled = ['sample', 'num_warmup=100', 'num_samples=60', 'num_chains=2', 'data', 'file=data.json'];
    const output = ['output', 'file=executed.csv', 'sig_figs=17', 'refresh=0'];
    outputsOf([
      ['bin/stanc', '--o=unusual', '--executable=', 'unusual.stan'],
      ['./unusual', ...sampled, 'random', 'seed=41', ...output],
    ]);
    const kept = await cancelled();
    const sets = [cut, cmdstan.slice(0, 2), [cmdstan[2]], [cmdstan[3]], filesOf('executed', 2), kept.files];
    const found = await Promise.all(sets.map((files) => ofLibrary(fitInFiles(files.map((file) => place.path(file))))));
    const commands = sets.map((files, index) => commandsOn(files, hasLikelihood(found[index])));
    const outputs = [...outputsOf(commands.flat())];
    for (const [index, files] of sets.entries()) {
      const own = outputs.splice(0, commands[index].length);
      assert.deepEqual(statisticsIn(own), found[index], files.join(' '));
    }
    assert.deepEqual(await ofServer(kept.fit, true), found[5]);
    assert.match(found[0].diagnosis.join('\n'), /tree depth of 10/);
  });
});

/** Commands end by signals while they wait for a pipe, and read each pipe once. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, writeSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFolder } from './command.js';
import { DATA, NORMAL } from './normal-model.js';

const SAMPLE = ['sample', 'model.stan', '--data', 'data.json'];

/** Commands with a pipe as each of their inputs. */
const READERS: readonly (readonly string[])[] = [
  ['sample', 'pipe.stan'],
  ['sample', 'model.stan', '--data', 'pipe.json'],
  ['sample', 'model.stan', '--data', 'pipe.R'],
  [...SAMPLE, '--init', 'pipe.json'],
  [...SAMPLE, '--init', 'pipe.csv'],
  [...SAMPLE, '--warm-start', 'pipe.csv'],
  [...SAMPLE, '--continue', 'pipe.csv'],
  [...SAMPLE, '--metric-file', 'pipe.json'],
  ['laplace', 'model.stan', '--data', 'data.json', '--mode', 'pipe.json'],
  ['generate', 'model.stan', '--data', 'data.json', '--fitted-params', 'pipe.csv'],
  ['summary', 'pipe.csv'],
  ['diagnose', 'pipe.csv'],
  ['loo', 'pipe.csv'],
  ['loo', 'draws.csv', '--program', 'model.stan', '--data', 'pipe.json'],
  ['loo', 'draws.csv', '--program', 'pipe.stan', '--data', 'data.json'],
  ['compare', 'pipe.csv', 'draws.csv'],
  ['report', 'pipe.csv'],
  ['report', 'draws.csv', '--data', 'pipe.json'],
  ['sbc', 'model.stan', '--data', 'pipe.json'],
  ['kfold', 'model.stan', '--data', 'pipe.json'],
  ['check', 'pipe.stan'],
  ['serve', '--config', 'pipe.json'],
];

/** Attempts to open a pipe, 20 ms apart. */
const MOST_ATTEMPTS = 1500;

describe('a pipe', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'model.stan': NORMAL, 'data.json': DATA });
    for (const kind of ['json', 'R', 'csv', 'stan']) execFileSync('mkfifo', [place.path(`pipe.${kind}`)]);
    const made = await place.run(...SAMPLE, '--num-samples', '10', '--seed', '1', '--output', 'draws.csv');
    assert.equal(made.code, 0, made.errors);
  });
  after(() => place.remove());

  /** Opens a pipe for writing as soon as the command is opening it for reading. */
  async function writerOf(name: string, child: ChildProcess): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      try {
        return openSync(place.path(name), constants.O_WRONLY | constants.O_NONBLOCK);
      } catch (error) {
        assert.ok(child.exitCode === null, `the command ended before it opened ${name}`);
        if (attempt === MOST_ATTEMPTS) throw new Error(`the command has not opened ${name}`, { cause: error });
        await pause(20);
      }
    }
  }

  const pipeIn = (words: readonly string[]) => words.find((word) => word.startsWith('pipe.')) ?? '';

  for (const [index, words] of READERS.entries()) {
    const signal = index % 2 === 0 ? 'SIGTERM' : 'SIGINT';
    it(`of which nothing arrives does not keep ${words.join(' ')} from ending by ${signal}`, async () => {
      const { child, ended } = place.start(...words);
      const writer = await writerOf(pipeIn(words), child);
      child.kill(signal);
      const limit = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(limit);
      closeSync(writer);
      assert.equal(child.signalCode, signal, 'the signal was ignored');
      assert.deepEqual(
        readdirSync(place.folder).filter((file) => file.startsWith('leapfrog-')),
        [],
      );
    });
  }

  it('is read once by a command that uses its contents twice', async () => {
    const words = ['loo', 'draws.csv', '--program', 'model.stan', '--data', 'pipe.json', '--format', 'json'];
    const { child, ended } = place.start(...words);
    const writer = await writerOf('pipe.json', child);
    writeSync(writer, DATA);
    closeSync(writer);
    const { code, errors, output } = await ended;
    assert.equal(code, 0, errors);
    assert.ok(JSON.parse(output).observed !== undefined);
  });

  it('can contain draws', async () => {
    const expected = await place.run('summary', 'draws.csv');
    const { child, ended } = place.start('summary', 'pipe.csv');
    const writer = await writerOf('pipe.csv', child);
    execFileSync('cat', [place.path('draws.csv')], { stdio: ['ignore', writer, 'inherit'] });
    closeSync(writer);
    const { code, errors, output } = await ended;
    assert.equal(code, 0, errors);
    assert.equal(output, expected.output);
  });
});

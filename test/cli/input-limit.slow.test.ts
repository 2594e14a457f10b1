/** The size limit applies to every file that a command reads. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CommandFolder } from './command.js';
import { DATA, NORMAL } from './normal-model.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const SAMPLE = ['sample', 'model.stan', '--data', 'data.json'];
const TOO_LARGE =
  /^error: (?:no connection to NATS at \S+: )?\S*large\S* is larger than 1 MiB, the maximum size of an input. Raise it with --max-input/m;

/** Commands with a file above the limit as each of their inputs. */
const READERS: readonly (readonly string[])[] = [
  ['sample', 'large.stan'],
  ['check', 'large.stan'],
  ['format', 'large.stan'],
  ['compile', 'large.stan'],
  ['check', 'including.stan'],
  ['sample', 'model.stan', '--data', 'large.json'],
  ['sample', 'model.stan', '--data', 'large.R'],
  [...SAMPLE, '--init', 'large.json'],
  [...SAMPLE, '--init', 'large.csv'],
  [...SAMPLE, '--metric-file', 'large.json'],
  ['laplace', 'model.stan', '--data', 'data.json', '--mode', 'large.csv'],
  ['generate_quantities', 'model.stan', '--data', 'data.json', '--fitted-params', 'large.csv'],
  ['summary', 'large.csv'],
  ['diagnose', 'large.csv'],
  ['loo', 'large.csv'],
  ['compare', 'large.csv', 'data.json'],
  ['compare', 'large.json', 'data.json'],
  ['report', 'large.csv'],
  ['report', 'data.json', '--data', 'large.json'],
  ['serve', '--config', 'large.json'],
  ['serve', '--nats', '127.0.0.1:1', '--nats-credentials', 'large.json'],
  ['serve', '--nats', '127.0.0.1:1', '--nats-ca', 'large.json'],
  ['work', '--nats', '127.0.0.1:1', '--nats-cert', 'large.json', '--nats-key', 'large.json'],
];

describe('inputs above the limit', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({
      'model.stan': NORMAL,
      'data.json': DATA,
      'including.stan': '#include "large.stan"\nmodel {}',
    });
    for (const kind of ['json', 'R', 'csv', 'stan']) {
      const path = place.path(`large.${kind}`);
      writeFileSync(path, '');
      truncateSync(path, 2 ** 20 + 1);
    }
  });
  after(() => place.remove());

  for (const words of READERS) {
    it(`are rejected by ${words.join(' ')}`, async () => {
      const { code, errors } = await place.run(...words, '--max-input', '1');
      assert.equal(code, 1, errors);
      assert.match(errors, TOO_LARGE);
    });
  }

  it('are read if the flag or the environment raises it', async () => {
    // The file is read, but is not a program.
    const { errors } = await place.run('check', 'large.stan', '--max-input', '2');
    assert.doesNotMatch(errors, /larger/);
    assert.match(errors, /Syntax error/);
  });

  const shell = (line: string) => {
    const script = `leapfrog() { '${process.execPath}' '${MAIN}' "$@"; }\n${line}`;
    const { status, stderr } = spawnSync('bash', ['-c', script], { cwd: place.folder, encoding: 'utf8' });
    return { code: status, errors: stderr };
  };

  it('are rejected as standard input and as a pipe', () => {
    for (const line of [
      'head -c 3000000 /dev/zero | leapfrog check - --max-input 1',
      'head -c 3000000 /dev/zero | LEAPFROG_MAX_INPUT=1 leapfrog sample model.stan --data -',
      'leapfrog sample model.stan --data <(head -c 3000000 /dev/zero) --max-input 1',
    ]) {
      const { code, errors } = shell(line);
      assert.equal(code, 1, line);
      assert.match(errors, /^error: (standard input|\/dev\/fd\/\d+) is larger than 1 MiB/m, line);
    }
  });

  it('are rejected as devices and as folders', () => {
    for (const line of [
      'leapfrog sample model.stan --data /dev/zero --max-input 1',
      'leapfrog check - --max-input 1 < /dev/zero',
      'leapfrog summary /dev/urandom --max-input 1',
      'leapfrog report /dev/zero --max-input 1',
    ]) {
      const { code, errors } = shell(line);
      assert.equal(code, 1, line);
      assert.match(errors, /^error: (standard input|\/dev\/\w+) is a device, not a file or pipe/m, line);
    }
    assert.match(shell('leapfrog sample model.stan --data .').errors, /^error: \. cannot be read: illegal operation/m);
  });

  it('do not affect pipes within the limit', () => {
    const line =
      'leapfrog sample <(cat model.stan) --data <(cat data.json) --num-samples 5 --output a.csv --max-input 1';
    const { code, errors } = shell(line);
    assert.equal(code, 0, errors);
  });

  it('do not block a program that includes a pipe', () => {
    execFileSync('mkfifo', [place.path('pipe.stan')]);
    writeFileSync(place.path('waiting.stan'), '#include "pipe.stan"\nmodel {}');
    const { code, errors } = shell('leapfrog check waiting.stan');
    assert.equal(code, 1);
    assert.match(errors, /^error: pipe\.stan is not a regular file/m);
  });
});

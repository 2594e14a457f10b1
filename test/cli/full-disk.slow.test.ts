/** Commands on a full disk: they report a clear error, and leave no file that looks complete. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { layOutHome } from '../../src/cmdstan/home.js';
import { CommandFolder } from './command.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const PROGRAM = 'parameters { vector[50] x; } model { x ~ std_normal(); }';
const canMount = spawnSync('unshare', ['-rm', 'true'], { stdio: 'ignore' }).status === 0;

describe('a full disk', { skip: canMount ? false : 'no file system can be mounted here' }, () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'model.stan': PROGRAM });
    mkdirSync(place.path('disk'));
    assert.equal((await place.run('sample', 'model.stan', '--output', 'whole.csv')).code, 0);
    layOutHome(place.path('home'));
    writeFileSync(place.path('wide.stan'), PROGRAM.replace('50', '20000'));
    const { status, stderr } = spawnSync('bin/stanc', ['--o=../model', '--executable=', '../model.stan'], {
      cwd: place.path('home'),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const threaded = ['--o=../threaded', '--executable=STAN_THREADS=true', '../model.stan'];
    assert.equal(spawnSync('bin/stanc', threaded, { cwd: place.path('home') }).status, 0);
    const many = Array.from({ length: 2000 }, (_, k) => `x.${k + 1}`);
    const rows = [1, 2, 3, 4, 5, 6].map((row) => many.map((_, k) => Math.sin(row * (k + 1))).join());
    writeFileSync(place.path('many.csv'), `lp__,${many.join()}\n${rows.map((row) => `-1,${row}\n`).join('')}`);
  });
  after(() => place.remove());

  /** Runs a shell command with 64 KiB of space in `disk`, and returns what the disk contains afterwards. */
  const onSmallDisk = (command: string) => {
    const script = `mount -t tmpfs -o size=64k none disk; ${command}; code=$?; echo; echo LEFT; ls disk; exit $code`;
    const env = { ...process.env, LEAPFROG: `${process.execPath} ${MAIN}` };
    const options = { cwd: place.folder, encoding: 'utf8' as const, env };
    const { status, stderr, stdout } = spawnSync('unshare', ['-rm', 'sh', '-c', script], options);
    return { code: status, errors: stderr, left: stdout.slice(stdout.indexOf('\nLEFT\n') + 6).trim() };
  };

  for (const [command, name] of [
    ['sample model.stan --output disk/a.csv', 'disk/a.csv'],
    ['sample model.stan --output disk/a.arrow', 'disk/a.arrow'],
    ['sample model.stan --output disk/a.ndjson', 'disk/a.ndjson'],
    ['sample model.stan --chains 2 --output disk/a.csv', 'disk/a_\\d.csv'],
    ['optimize wide.stan --save-iterations --output disk/a.csv', 'disk/a.csv'],
    ['report whole.csv --output disk/a.html', 'disk/a.html'],
  ]) {
    it(`stops ${command} with a line that names the file`, () => {
      const { code, errors } = onSmallDisk(`$LEAPFROG ${command}`);
      assert.equal(code, 1, errors);
      assert.match(errors, new RegExp(`^error: ${name} cannot be written: no space left on device`, 'm'));
      assert.doesNotMatch(errors, /\n +at /);
    });
  }

  it('stops an executable with a line that names the file', () => {
    const { code, errors } = onSmallDisk('./model sample output file=disk/a.csv');
    assert.notEqual(code, 0);
    assert.match(errors, /disk\/a\.csv cannot be written: no space left on device/);
    assert.doesNotMatch(errors, /\n +at /);
  });

  it('stops an executable with threads and tools with a line that names the file', () => {
    for (const [command, reason] of [
      [
        './threaded sample num_chains=2 num_threads=2 output file=disk/a.csv',
        /disk\/a_\d\.csv cannot be written: no space/,
      ],
      [
        'head -c 60000 /dev/zero > disk/pad; home/bin/stanc --o=disk/model --executable= model.stan',
        /no space left on device/,
      ],
      ['home/bin/stansummary --csv_filename=disk/s.csv many.csv', /no space left on device/],
    ] as const) {
      const { code, errors } = onSmallDisk(command);
      assert.notEqual(code, 0, command);
      assert.match(errors, reason);
      assert.doesNotMatch(errors, /\n +at /);
    }
  });

  it('stops a command whose temporary folder has no space, which keeps its draws like an interrupted run', () => {
    const { code, errors } = onSmallDisk('TMPDIR=disk $LEAPFROG sample model.stan --output b.csv');
    assert.equal(code, 1, errors);
    assert.match(errors, /^error: no space is left in disk$/m);
    assert.doesNotMatch(errors, /\n +at /);
    const kept = readFileSync(place.path('b.csv'), 'utf8');
    const [, announced] = /^# +num_samples = (\d+)/m.exec(kept) ?? [];
    assert.equal(Number(announced), kept.split('\n').filter((line) => /^-?\d/.test(line)).length);
    assert.match(kept, /\n# Interrupted\n$/);
  });
});

/** Commands whose output is not read or cannot be written. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { CommandFolder, type Ended } from './command.js';

const PROGRAM = 'parameters {\n  real x;\n}\nmodel {\n  x ~ std_normal();\n}\n';
const withFull = { skip: !existsSync('/dev/full') && 'there is no device that is always full' };

describe('a command', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'model.stan': PROGRAM, file: '' });
    if (existsSync('/dev/full'))
      for (const name of ['full.csv', 'full.arrow']) await symlink('/dev/full', place.path(name));
  });
  after(() => place.remove());

  const sample = (...args: readonly string[]) => place.run('sample', 'model.stan', '--seed', '1', ...args);

  /** Runs a command and reads only the beginning of its output. */
  async function unread(...args: readonly string[]): Promise<Ended> {
    const { child, ended } = place.start(...args);
    child.stdout?.once('data', () => child.stdout?.destroy());
    return ended;
  }

  /** The only line of its errors; no temporary files may remain. */
  function refusal({ code, errors }: Ended): string {
    assert.equal(code, 1, errors);
    assert.deepEqual(
      readdirSync(place.folder).filter((name) => /^leapfrog-/.test(name)),
      [],
    );
    assert.match(errors, /^error: [^\n]*\n$/);
    return errors.slice('error: '.length, -1);
  }

  it('continues after the reader of its output has closed the pipe', async () => {
    const { code, errors } = await unread('sample', 'model.stan', '--refresh', '1', '--output', 'draws.csv');
    assert.deepEqual({ code, errors }, { code: 0, errors: '' });
    const rows = readFileSync(place.path('draws.csv'), 'utf8').split('\n');
    assert.equal(rows.filter((row) => /^-\d/.test(row)).length, 1000);
    await writeFile(place.path('wide.csv'), `${wide((k) => `x.${k}`)}\n${wide(String)}\n${wide(String)}\n`);
    const shown = await unread('summary', 'wide.csv', '--format', 'json');
    assert.deepEqual([shown.code, shown.errors], [0, '']);
  });

  it('keeps serving after the reader of its log has closed the pipe', async () => {
    const { child, ended } = place.start('serve', '--port', '0', '--store', 'store', '--log-level', 'info');
    let said = '';
    const address = await new Promise<string>((resolve) => {
      child.stdout?.on('data', (bytes) => {
        said += bytes;
        const found = /Leapfrog listens on (\S+);/.exec(said);
        if (found !== null) resolve(found[1]);
      });
    });
    child.stdout?.destroy();
    for (let k = 0; k < 3; k++) assert.equal((await fetch(`${address}/v1/health`)).status, 200);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  it('reports a full disk in one line', withFull, async () => {
    const reason = 'cannot be written: no space left on device';
    assert.equal(refusal(await sample('--output', 'full.csv')), `full.csv ${reason}`);
    assert.equal(refusal(await sample('--output', 'full.arrow')), `full.arrow ${reason}`);
    const long = await sample('--num-samples', '1000000', '--output', 'full.csv');
    assert.equal(refusal(long), `full.csv ${reason}`);
    assert.doesNotMatch(long.output, /Iteration: 1001000 /);
  });

  it('reports in one line that a file cannot be created', async () => {
    const noFolder = 'cannot be written: not a directory';
    assert.equal(refusal(await sample('--output', 'file/draws.csv')), `file/draws.csv ${noFolder}`);
    assert.equal(refusal(await sample('--output', 'file/new/draws.csv')), `file/new/draws.csv ${noFolder}`);
    const compiled = await place.run('compile', 'model.stan', '--output', 'file');
    assert.equal(refusal(compiled), `file/model.wasm ${noFolder}`);
    assert.equal(readFileSync(place.path('file'), 'utf8'), '');
  });

  it('creates the named folder, but no parents of a name that may be misspelled', async () => {
    const advice = 'create it first, or correct the name';
    assert.equal(refusal(await sample('--output', 'fist/draws.csv')), `the folder fist does not exist; ${advice}`);
    assert.equal(refusal(await sample('--output', 'fist/draws/')), `the folder fist does not exist; ${advice}`);
    assert.equal(refusal(await sample('--diagnostic-file', 'fist/d.csv')), `the folder fist does not exist; ${advice}`);
    const compiled = await place.run('compile', 'model.stan', '--output', 'fist/build');
    assert.equal(refusal(compiled), `the folder fist does not exist; ${advice}`);
    assert.equal(existsSync(place.path('fist')), false);
    assert.equal((await sample('--output', 'fits/')).code, 0);
    assert.ok(existsSync(place.path('fits/model-sample.csv')));
  });

  it('stops immediately if folders cannot be created', { skip: !existsSync('/proc/self') }, async () => {
    const missing = 'cannot be written: no such file or directory';
    assert.equal(refusal(await sample('--output', '/proc/x/')), `/proc/x ${missing}`);
    assert.equal(refusal(await place.run('compile', 'model.stan', '--output', '/proc/x')), `/proc/x ${missing}`);
    assert.equal(
      refusal(await place.run('serve', '--port', '0', '--store', '/proc/x')),
      'the folder /proc/x cannot be used. The system reports: no such file or directory.',
    );
  });

  it('leaves nothing behind when its terminal is closed', async () => {
    const { child, ended } = place.start('sample', 'model.stan', '--num-samples', '100000000', '--output', 'cut.csv');
    if (child.stdout !== null) await once(child.stdout, 'data');
    child.kill('SIGHUP');
    assert.equal((await ended).code, 130);
    assert.deepEqual(
      readdirSync(place.folder).filter((name) => /^leapfrog-/.test(name)),
      [],
    );
  });
});

function wide(cell: (index: number) => string): string {
  return Array.from({ length: 5000 }, (_, index) => cell(index)).join();
}

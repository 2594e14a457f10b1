/** `leapfrog posteriordb` on a checkout that the test writes. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { checkoutFiles } from '../support/posteriordb.js';
import { CommandFolder } from './command.js';

const NAME = 'three-line';
const DRAWS = `checkout/posterior_database/reference_posteriors/draws/draws/${NAME}.json`;
const DATA = 'checkout/posterior_database/data/data/three.json';

describe('leapfrog posteriordb', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({});
    for (const [path, text] of Object.entries(checkoutFiles(NAME))) write(`checkout/${path}`, text);
  });
  after(() => place.remove());

  function write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(place.path(path)), { recursive: true });
    writeFileSync(place.path(path), content);
  }

  /** Replaces a file by a zip file with its content, as in posteriordb. */
  function zip(path: string): void {
    const content = readFileSync(place.path(path));
    write(`${path}.zip`, zipSync({ 'content.json': content }));
    rmSync(place.path(path));
  }

  const run = (...args: readonly string[]) => place.run('posteriordb', ...args, '--database', 'checkout');

  it('lists the posteriors', async () => {
    const { code, output } = await run('--list');
    const rows = output.trimEnd().split('\n');
    assert.equal(code, 0);
    assert.deepEqual(
      rows.map((row) => row.trim().split(/\s+/)),
      [
        ['quantities', 'reference_draws'],
        ['three-alone', '0', 'no'],
        [NAME, '3', 'yes'],
      ],
    );
    const found: unknown = JSON.parse((await run('--list', '--format', 'json')).output);
    assert.ok(Array.isArray(found) && found.length === 2);
  });

  it('compares draws with the reference draws', async () => {
    const { code, errors, output } = await run('small');
    assert.equal(errors, '');
    assert.equal(code, 0);
    assert.match(output, /^mu +1\.[45]\d? +1\.[45]\d? /m);
    assert.match(output, /^x\[2\] /m);
    assert.match(output, /\n\nAll means and standard deviations agree with the reference draws within 4 /);
    const { output: json } = await run(NAME, '--format', 'json', '--seed', '2');
    const { ok, posterior, quantities } = JSON.parse(json);
    assert.deepEqual([ok, posterior, quantities.length], [true, NAME, 3]);
  });

  it('reads zip files, and exits with 1 if moments differ or quantities are missing', async () => {
    const chains: readonly Record<string, readonly number[]>[] = JSON.parse(readFileSync(place.path(DRAWS), 'utf8'));
    const changed = chains.map(({ mu, ...rest }) => ({ ...rest, mu: mu.map((value) => value + 0.2), nu: mu }));
    write(DRAWS, JSON.stringify(changed));
    zip(DRAWS);
    zip(DATA);
    const { code, errors, output } = await run(NAME, '--format', 'csv');
    assert.equal(code, 1);
    assert.match(output, /^name,mean,reference_mean,z_mean,sd,reference_sd,z_sd\nx\[1\],/);
    assert.match(errors, /^1 of 6 means and .* most in the mean of mu \(\d+\.\d\)\. The draws lack nu\.\n$/);
  });

  it('reports what is missing or invalid', async () => {
    const errorOf = async (...args: readonly string[]) => {
      const { code, errors } = await run(...args);
      assert.equal(code, 1, errors);
      return errors;
    };
    assert.match(await errorOf('smal'), /no posterior smal\. Did you mean small\?/);
    assert.match(await errorOf('unlike-any-name'), /--list lists the posteriors/);
    assert.match(await errorOf(), /pass the name of a posterior, or --list/);
    assert.match(await errorOf('three-alone'), /no reference draws of three-alone\. .*line\.stan/);
    write(`${DRAWS}.zip`, 'version https://git-lfs.github.com/spec/v1\n');
    assert.match(await errorOf(NAME), /is not a zip file; a checkout with Git LFS may have to be completed/);
    write(`${DRAWS}.zip`, zipSync({ 'content.json': strToU8('[{"mu": [1, 2]}, {"mu": [1]}]') }));
    assert.match(await errorOf(NAME), /must have numbers for mu, equally many in each chain/);
    write(`${DRAWS}.zip`, zipSync({ 'content.json': new Uint8Array(3 << 20) }));
    assert.match(await errorOf(NAME, '--max-input', '2'), /contains more than 2 MiB/);
    rmSync(place.path(`${DRAWS}.zip`));
    assert.match(await errorOf(NAME), /does not exist, and neither does/);
    const elsewhere = await place.run('posteriordb', NAME, '--database', '.');
    assert.match(elsewhere.errors, /is not a checkout of posteriordb/);
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { File as Hdf5File } from 'jsfive';
import { endOfWarmup, readStanCsv } from '../formats/stan-csv.js';
import { arvizDraws, type Hdf5Group } from './arviz-draws.js';
import { rowsOf } from './draws-file.js';

const FOLDER = new URL('../../../test/reference/arviz/', import.meta.url);

function arviz(name: string): Hdf5File {
  return new Hdf5File(new Uint8Array(gunzipSync(readFileSync(new URL(`${name}.gz`, FOLDER)))).buffer, name);
}

/** Rows of a file of CmdStan from which ArviZ made its files, by name. */
function csv(chain: number) {
  const { columns, entries } = readStanCsv(readFileSync(new URL(`chain_${chain}.txt`, FOLDER), 'utf8').split('\n'));
  const rows = entries.flatMap((entry) => (entry.kind === 'draw' ? [entry.values] : []));
  const warmup = endOfWarmup(entries);
  return { columns, warmup, rows: rows.map((row) => new Map(columns.map((name, place) => [name, row[place]]))) };
}

function chainRows(file: Hdf5Group) {
  const { columns, chains, warnings } = arvizDraws(file);
  assert.deepEqual(warnings, []);
  return chains.map((chain) => ({
    columns,
    warmup: chain.warmup,
    rows: rowsOf(chain, columns.length).map((row) => new Map(columns.map((name, place) => [name, row[place]]))),
  }));
}

const SAMPLER = ['lp__', 'accept_stat__', 'stepsize__', 'treedepth__', 'n_leapfrog__', 'divergent__', 'energy__'];

describe('files of ArviZ', () => {
  it('contain the numbers of the CSV files from which ArviZ made them, of matrices too, with warmup', () => {
    const found = chainRows(arviz('warm.nc'));
    const [first] = found;
    assert.deepEqual(first.columns.slice(0, SAMPLER.length), SAMPLER);
    assert.deepEqual(
      first.columns.filter((name) => name.startsWith('A')),
      ['A.1.1', 'A.2.1', 'A.1.2', 'A.2.2', 'A.1.3', 'A.2.3'],
    );
    for (const [index, { columns, warmup, rows }] of found.entries()) {
      const expected = csv(index + 1);
      assert.deepEqual([...columns].sort(), [...expected.columns].sort());
      assert.equal(warmup, 4);
      assert.equal(warmup, expected.warmup);
      assert.equal(rows.length, 10);
      for (const [row, values] of rows.entries()) {
        for (const name of columns) assert.equal(values.get(name), expected.rows[row].get(name), `${name}, row ${row}`);
      }
    }
  });

  it('may be uncompressed and without warmup', () => {
    for (const [index, { warmup, rows }] of chainRows(arviz('plain.nc')).entries()) {
      assert.equal(warmup, 0);
      const expected = csv(index + 1).rows.slice(4);
      assert.deepEqual(
        rows.map((row) => [row.get('A.2.3'), row.get('b.2.1'), row.get('divergent__')]),
        expected.map((row) => [row.get('A.2.3'), row.get('b.2.1'), row.get('divergent__')]),
      );
    }
  });

  /** A file with two chains of three draws. */
  const made = (
    groups: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>,
    dtype = '<f8',
  ): Hdf5Group => {
    const sizes = { chain: [2], draw: [3] };
    const file: Hdf5Group = {
      keys: Object.keys(groups),
      get: (path) => {
        const [group, key] = path.split('/');
        const members: Readonly<Record<string, readonly number[]>> = { ...sizes, ...groups[group] };
        if (key === undefined) return { keys: Object.keys(members), get: file.get };
        const shape = members[key];
        const count = shape.reduce((product, size) => product * size, 1);
        return {
          shape,
          dtype: key === 'word' ? ['VLEN_STRING', 0, 1] : dtype,
          value: Array.from({ length: count }, (_, place) => place),
        };
      },
    };
    return file;
  };

  it('name simulations by their data, and the log likelihood as Stan programs do', () => {
    const { columns } = arvizDraws(
      made({ posterior: { mu: [2, 3] }, posterior_predictive: { y: [2, 3, 1] }, log_likelihood: { y: [2, 3, 1] } }),
    );
    assert.deepEqual(columns, ['mu', 'y_rep.1', 'log_lik.1']);
    const two = arvizDraws(made({ posterior: { mu: [2, 3] }, log_likelihood: { y: [2, 3, 1], z: [2, 3, 1] } }));
    assert.deepEqual(two.columns, ['mu', 'log_lik_y.1', 'log_lik_z.1']);
  });

  it('report what is not read', () => {
    const { columns, warnings, chains } = arvizDraws(
      made({
        posterior: { mu: [2, 3], word: [2, 3] },
        posterior_predictive: { y: [2, 9] },
        warmup_posterior: { nu: [2, 3] },
      }),
    );
    assert.deepEqual(columns, ['mu']);
    assert.deepEqual([...chains[1].values], [3, 4, 5]);
    assert.deepEqual(warnings, [
      'posterior/word was not read, because its values are not numbers',
      'posterior_predictive/y was not read, because its first dimensions are not those of the draws',
      'warmup draws were not read, because the file has none of mu',
    ]);
  });

  it('are refused without a posterior', () => {
    assert.throws(() => arvizDraws(made({ prior: { mu: [2, 3] } })), /it has no group "posterior"/);
  });
});

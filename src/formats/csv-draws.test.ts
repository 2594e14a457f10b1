import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fingerprintOf } from '../fits/draw-origins.js';
import { missingDraws, refuseDiagnostics } from './csv-draws.js';
import { readStanCsv } from './stan-csv.js';

/** Files of CmdStan, described in test/reference/cmdstan/model.stan. */
function read(name: string) {
  const url = new URL(`../../../test/reference/cmdstan/${name}.txt`, import.meta.url);
  return readStanCsv(readFileSync(url, 'utf8').split('\n'));
}

describe('CSV files of CmdStan', () => {
  it('are refused if they contain the diagnostics of a sampler or of a variational approximation', () => {
    for (const name of ['diagnostic_1', 'elbo']) {
      const { head, columns } = read(name);
      assert.throws(() => refuseDiagnostics(head, columns), /the columns are those of a diagnostic file/, name);
    }
    for (const name of ['chain_1', 'laplace', 'generated']) {
      const { head, columns } = read(name);
      assert.doesNotThrow(() => refuseDiagnostics(head, columns), name);
    }
  });

  it('are not refused for parameters with the names of diagnostics if their run had no diagnostic file', () => {
    const columns = ['lp__', 'x', 'p_x', 'g_x'];
    assert.doesNotThrow(() => refuseDiagnostics(['# output', '#   diagnostic_file =  (Default)'], columns));
    assert.throws(() => refuseDiagnostics(['# output', '#   diagnostic_file = d.csv'], columns));
  });

  it('lack draws if the comments announce more, counting thinned ones', () => {
    const { head, entries } = read('chain_1');
    assert.equal(missingDraws(head, entries), undefined);
    const last = entries.findLastIndex(({ kind }) => kind === 'draw');
    assert.match(missingDraws(head, entries.toSpliced(last, 1)) ?? '', /^only 2 of 3 draws, /);
    for (const name of ['laplace', 'generated']) {
      const other = read(name);
      assert.equal(missingDraws(other.head, other.entries), undefined, name);
    }
  });

  it('differ in the fingerprints of their chains', () => {
    const [first, second] = ['chain_1', 'chain_2'].map((name) => {
      const { columns, entries } = read(name);
      return fingerprintOf(
        columns,
        entries.flatMap((entry) => (entry.kind === 'draw' ? [entry.values] : [])),
      );
    });
    assert.ok(first !== undefined && second !== undefined && first !== second);
  });

  it('end within a line if they are truncated', () => {
    assert.throws(
      () => readStanCsv(['a,b', '1,2', '3']),
      /^Error: line 3 has 1 values for 2 columns, and the file ends/,
    );
    assert.throws(() => readStanCsv(['a,b', '3', '1,2']), /^Error: line 2 has 1 values for 2 columns$/);
  });
});

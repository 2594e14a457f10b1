import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openDrawFile } from '../../fit-files/draw-file.js';
import { addRecord, type JournalHeader, type JournalRecord } from '../../fit-files/journal.js';
import { readDraws } from '../../fit-files/reading.js';
import { HDF5_SIGNATURE } from '../../fits/arviz-draws.js';
import { makeFit } from './draw-files.js';

const CSV = [
  '#           nuts',
  '#             max_depth = 8',
  'lp__,theta.1',
  '-1,0.5',
  '# Adaptation terminated',
  '-2,nan',
  '-3,-inf',
  '# ',
  '#  Elapsed Time: 0.1 seconds (Warm-up)',
].join('\n');

describe('files of draws', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-draws-'));
    mkdirSync(join(folder, 'fit'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const read = (...paths: readonly string[]) => {
    const { contents, maximumDepth } = makeFit(paths, join(folder, 'fit'));
    const draws = contents.chains.map((chain) => [...readDraws(contents, chain)].map(({ values }) => [...values]));
    return { columns: contents.columns, draws, maximumDepth };
  };
  const AFTER_WARMUP = [
    [-2, Number.NaN],
    [-3, Number.NEGATIVE_INFINITY],
  ];

  it('are read from CSV: warmup, non-finite numbers, tree depth', () => {
    const found = read(write('a.csv', CSV));
    assert.deepEqual(found, { columns: ['lp__', 'theta.1'], draws: [AFTER_WARMUP], maximumDepth: 8 });
  });

  it('contain one chain, or several if the file labels them', () => {
    const several = CSV.replace('\n-1,', '\n# chain 3\n-1,').concat('\n# chain 4\n# Adaptation terminated\n-4,1\n');
    const { draws } = read(write('a.csv', CSV), write('b.csv', several));
    assert.deepEqual(draws, [AFTER_WARMUP, AFTER_WARMUP, [[-4, 1]]]);
  });

  it("are read from a server's messages", () => {
    const lines = [
      '{"version":1,"topic":"logger","values":["info:hello"],"chain":2}',
      '{"version":1,"topic":"sample","values":{"lp__":1,"x":"NaN"},"chain":2}',
      '{"version":1,"topic":"sample","values":{"lp__":2,"x":"-Infinity"},"chain":1}',
      '{"version":1,"topic":"diagnostic","values":{"lp__":2},"chain":1}',
    ];
    const { columns, draws } = read(write('a.ndjson', `${lines.join('\n')}\n`));
    assert.deepEqual(columns, ['lp__', 'x']);
    assert.deepEqual(draws, [[[2, Number.NEGATIVE_INFINITY]], [[1, Number.NaN]]]);
  });

  it('are rejected if messages lack the columns that distinguish draws from preceding rows', () => {
    for (const [log, columns, draws] of [
      ['EXPERIMENTAL ALGORITHM:', { lp__: 0, log_p__: 0, log_g__: 0 }, [1, 2, 3, 5]],
      ['Initial log joint probability = -7', { lp__: 1, converged__: 0 }, [1, 2, 5]],
    ] as const) {
      const file = (first: object, second: object): string => {
        const messages = [
          { topic: 'logger', values: [`info:${log}`] },
          { topic: 'sample', values: first },
          { topic: 'sample', values: second },
        ];
        return write('a.ndjson', messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
      };
      const own = Object.fromEntries(Object.keys(columns).map((name, place) => [name, place + 1]));
      const { draws: found } = read(file({ ...columns, x: 4 }, { ...own, x: 5 }));
      assert.deepEqual(found, [[draws]]);
      rmSync(join(folder, 'fit'), { recursive: true });
      mkdirSync(join(folder, 'fit'));
      const key = Object.keys(columns).at(-1);
      assert.throws(() => read(file({ x: 4 }, { x: 5 })), new RegExp(`needs the column ${key} to distinguish draws`));
    }
  });

  it('are rejected if they are iterations of an optimizer without the optimum, in CSV and in messages', () => {
    const remark = 'Optimization terminated normally: Convergence detected';
    const row = { lp__: -2, converged__: 0, x: 1 };
    const messages = [row, [remark]].map((values) => `${JSON.stringify({ topic: 'sample', values })}\n`);
    for (const path of [
      write('a.csv', `lp__,converged__,x\n-2,0,1\n# ${remark}\n`),
      write('a.ndjson', messages.join('')),
    ]) {
      assert.throws(() => read(path), /cannot be read as draws: the rows are iterations of an optimizer without/);
    }
  });

  const HEADER: JournalHeader = { drawNames: ['lp__', 'x'], diagnosticNames: ['p_x'] };
  type Said = Exclude<JournalRecord, { kind: 'header' }>;
  const WARMUP: readonly Said[] = [
    { kind: 'draw', values: Float64Array.of(0.1, 1) },
    { kind: 'adaptation' },
    { kind: 'line', line: '{"version":1,"topic":"sample","values":["Adaptation terminated"]}\n' },
  ];
  const written = (extension: string, records: readonly Said[]): string => {
    const path = join(folder, `out.${extension}`);
    const run = {
      function: 'hmc_nuts_diag_e_adapt',
      arguments: { max_depth: 7 },
      seed: 1,
      created: '2020-01-01T00:00:00.000Z',
      program: 'model',
      chain: 1,
      files: { significantDigits: 17 },
    };
    const file = openDrawFile({ path, holds: 'draw', run }, HEADER);
    for (const record of records) addRecord(file, record);
    file.end(false);
    return path;
  };

  it('round-trip through every format that is written', () => {
    const draw: Said = { kind: 'draw', values: Float64Array.of(1 / 3, Number.NaN) };
    const diagnostic: Said = { kind: 'diagnostic', values: Float64Array.of(5) };
    for (const extension of ['csv', 'arrow', 'ndjson']) {
      const { draws, maximumDepth } = read(written(extension, [...WARMUP, draw, diagnostic]));
      assert.deepEqual(draws, [[[1 / 3, Number.NaN]]], extension);
      assert.equal(maximumDepth, extension === 'ndjson' ? undefined : 7);
    }
    assert.match(readFileSync(join(folder, 'out.csv'), 'utf8'), /^# start_datetime = 2020-01-01 00:00:00 UTC$/m);
  });

  it('have no draws after warmup if they contain only warmup', () => {
    for (const extension of ['csv', 'arrow', 'ndjson']) {
      assert.deepEqual(read(written(extension, [...WARMUP])).draws, [[]], extension);
    }
  });

  it('are read from the netCDF files of ArviZ, with the draws of the CSV files that ArviZ read', () => {
    const reference = new URL('../../../../test/reference/arviz/', import.meta.url);
    const csv = [1, 2].map((chain) =>
      write(`${chain}.csv`, readFileSync(new URL(`chain_${chain}.txt`, reference), 'utf8')),
    );
    const expected = read(...csv);
    rmSync(join(folder, 'fit'), { recursive: true });
    mkdirSync(join(folder, 'fit'));
    const path = join(folder, 'warm.nc');
    writeFileSync(path, gunzipSync(readFileSync(new URL('warm.nc.gz', reference))));
    const found = read(path);
    const inOrder = found.draws.map((rows) =>
      rows.map((row) => expected.columns.map((name) => row[found.columns.indexOf(name)])),
    );
    assert.deepEqual(inOrder, expected.draws);
  });

  it('are rejected with the reason if their contents are not draws', () => {
    const remark = '{"version":1,"topic":"sample","values":["Adaptation terminated"]}\n';
    const refused = (pattern: RegExp, ...paths: readonly string[]) =>
      assert.throws(() => read(...paths), { name: 'CommandError', message: pattern });
    refused(/none\.csv cannot be read: no such file or directory/, join(folder, 'none.csv'));
    refused(/line 2 has 1 values for 2 columns/, write('short.csv', 'a,b\n1\n'));
    refused(/line 2 has "one" for a, which is not a number/, write('words.csv', 'a\none\n'));
    refused(/line 3 has 1 values for 3 columns/, write('cut.csv', 'a,b,c\n1,2,3\n-'));
    refused(/line 3 has "" for b, which is not a number/, write('cut.csv', 'a,b\n1,2\n1,'));
    refused(/the columns of .*b\.csv and .*a\.csv differ/, write('a.csv', 'a\n1\n'), write('b.csv', 'b\n1\n'));
    refused(/there is no header line with column names/, write('empty.csv', '# nothing\n'));
    refused(/there are no draws in .*header\.csv/, write('header.csv', 'lp__,x\n# Elapsed Time: 0 seconds\n'));
    refused(/damaged\.nc cannot be read as draws: /, write('damaged.nc', Buffer.from([...HDF5_SIGNATURE, 0])));
    refused(/there are no draws in .*texts\.ndjson/, write('texts.ndjson', remark));
  });
});

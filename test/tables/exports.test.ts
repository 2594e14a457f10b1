/** Exports of spreadsheets, statistical programs, forms and databases, read as a person would read them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import papaparse from 'papaparse';
import type { TableColumn } from '../../src/tables/columns.js';
import { decodeTable } from '../../src/tables/decoding.js';
import { variableNames } from '../../src/tables/names.js';
import { TableError } from '../../src/tables/rows.js';
import { splitWith } from '../../src/tables/separator.js';
import { isUsable, readTable, type TableChoices, tableCells } from '../../src/tables/table.js';

const folder = fileURLToPath(new URL('../../../test/tables', import.meta.url));

const split = splitWith((text, options) => papaparse.parse<unknown>(text, options));

function read(text: string, choices?: TableChoices) {
  return readTable(tableCells(text, 'table', split), choices);
}

/** The cells of a column as a person reads them. */
function cellsOf({ kind, values, levels }: TableColumn): readonly string[] {
  return Array.from(values, (value) => {
    if (Number.isNaN(value)) return 'missing';
    return kind === 'text' ? levels[value - 1].replace(/\s+/g, ' ') : `${Number(value.toFixed(6))}`;
  });
}

function described(name: string): string {
  const { columns, omitted } = read(decodeTable(readFileSync(`${folder}/exports/${name}`)));
  const names = variableNames(columns.map((column) => column.name));
  const lines = columns.map((column) => {
    const { sign, origin, unreadable } = column;
    const parts = [column.kind, sign, origin, isUsable(column) ? undefined : 'unusable'].filter(
      (part) => part !== undefined,
    );
    const odd = unreadable.map(({ row, cell }) => `row ${row}: ${cell}`);
    const note = odd.length > 0 ? ` (${odd.join(', ')})` : '';
    return `${names.get(column.name)}, ${parts.join(' ')}: ${cellsOf(column).join(', ')}${note}`;
  });
  return [name, ...lines, ...omitted.map(({ number, text }) => `not read, row ${number}: ${text}`)].join('\n  ');
}

describe('exports of tables', () => {
  const expected = readFileSync(`${folder}/expected.txt`, 'utf8')
    .trim()
    .split(/\n(?=\S)/);
  const names = readdirSync(`${folder}/exports`).sort();

  it('are at least thirty, all with an expected reading', () => {
    assert.ok(names.length >= 30);
    assert.deepEqual(
      expected.map((text) => text.split('\n')[0]),
      names,
    );
  });

  for (const [index, name] of names.entries())
    it(`are read as a person would read them: ${name}`, () => {
      assert.equal(described(name), expected[index]);
    });
});

describe('choices of a person', () => {
  it('replace the decimal mark, for all columns', () => {
    const text = 'a\tb\n1,250\t1.5\n2,500\t2.5\n';
    assert.deepEqual([...read(text).columns[0].values], [1250, 2500]);
    const chosen = read(text, { decimalComma: true });
    assert.deepEqual([...chosen.columns[0].values], [1.25, 2.5]);
    assert.equal(chosen.decimalComma, true);
  });

  it('replace the order of day and month', () => {
    const text = 'day,y\n03/04/2024,1\n05/04/2024,2\n';
    assert.deepEqual([...read(text).columns[0].values], [0, 61]);
    assert.deepEqual([...read(text, { dayFirst: true }).columns[0].values], [0, 2]);
  });

  it('correct cells, or make a column text', () => {
    const text = `x\n${Array.from({ length: 20 }, (_, row) => row).join('\n')}\ntall\n`;
    const [column] = read(text).columns;
    assert.deepEqual(column.unreadable, [{ row: 22, cell: 'tall' }]);
    const [fixed] = read(text, { fixes: [{ column: 'x', row: 22, text: '20' }] }).columns;
    assert.deepEqual([fixed.missing, fixed.values[20]], [0, 20]);
    assert.equal(read(text, { texts: ['x'] }).columns[0].kind, 'text');
  });
});

describe('texts other than tables', () => {
  const faultOf = (text: string) => {
    try {
      read(text);
    } catch (error) {
      if (error instanceof TableError) return error.message;
    }
    return undefined;
  };

  it('are reported with the row', () => {
    assert.equal(faultOf('alone\n'), 'it has no rows below a header line');
    assert.equal(faultOf('a,b\n1,2\n1\n'), 'row 3 has 1 cells instead of 2');
    assert.equal(faultOf('a,b\n1,2\n3,"4\n5,6\n'), 'row 3 has a quote that is never closed');
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import papaparse from 'papaparse';
import { splitWith } from './separator.js';
import { completeRows, readTable, tableCells } from './table.js';

const split = splitWith((text, options) => papaparse.parse<unknown>(text, options));

it('reads a German spreadsheet as numbers', () => {
  const table = readTable(tableCells('Größe;Ort\n171,5;Kiel\n1.234,0;Ulm\n;Kiel\n', 'a.csv', split));
  assert.deepEqual(
    table.columns.map(({ kind, values, levels }) => ({ kind, values: [...values], levels })),
    [
      { kind: 'real', values: [171.5, 1234, Number.NaN], levels: [] },
      { kind: 'text', values: [1, 2, 1], levels: ['Kiel', 'Ulm'] },
    ],
  );
  assert.equal(table.decimalComma, true);
  assert.deepEqual([...completeRows(table, ['Größe']).columns[1].values], [1, 2]);
});

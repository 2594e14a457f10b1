/** Workbooks of several writers, read as a person would read them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import readWorkbook from 'read-excel-file/universal';
import { readTable, recordCells } from '../../src/tables/table.js';
import { type Sheet, sheetsIn, visibleSheets } from '../../src/tables/workbook.js';

const folder = fileURLToPath(new URL('../../../test/tables/workbooks', import.meta.url));

async function open(name: string): Promise<readonly Sheet[]> {
  const content = readFileSync(`${folder}/${name}`);
  return sheetsIn(new Uint8Array(content).buffer, { readWorkbook, unzipSync });
}

/** The columns of a sheet as a person reads them. */
function columnsIn(sheets: readonly Sheet[], name: string) {
  const rows = sheets.find((sheet) => sheet.name === name)?.rows() ?? [];
  return readTable(recordCells(rows, name)).columns.map(({ name, kind, origin, values, levels }) => [
    name,
    origin === undefined ? kind : `${kind} from ${origin}`,
    ...Array.from(values, (value) => (kind === 'text' ? (levels[value - 1] ?? 'missing') : value)),
  ]);
}

const NAN = Number.NaN;

describe('workbooks', () => {
  it('of openpyxl have typed cells, with a title, a blank row and a total', async () => {
    const sheets = await open('openpyxl.xlsx');
    assert.deepEqual(
      sheets.map(({ name }) => name),
      ['Notes', 'Größen & Co', 'Other'],
    );
    assert.deepEqual(columnsIn(sheets, 'Größen & Co'), [
      ['Größe (cm)', 'real', 170.5, 171.5, 172.5, 173.5],
      ['school', 'text', 'Gymnasium', 'Realschule <A>', 'Gymnasium', 'Gesamtschule'],
      ['visited', 'date from 2024-02-27', 0, 1, 2, 3],
      ['code', 'text', '000', '001', '002', '003'],
      ['consent', 'integer', 1, 0, 1, 1],
      ['score', 'integer', 0, 10, NAN, 30],
    ]);
    assert.throws(() => columnsIn(sheets, 'Notes'), /no rows/);
    assert.deepEqual(columnsIn(sheets, 'Other'), [
      ['x', 'integer', 1, 2],
      ['y', 'real', 2.5, 3.5],
    ]);
  });

  it('of XlsxWriter have dates of the 1904 system, rich text and values of formulas', async () => {
    const sheets = await open('xlsxwriter.xlsx');
    assert.deepEqual(
      sheets.map(({ name }) => name),
      ['Data'],
    );
    assert.deepEqual(columnsIn(sheets, 'Data'), [
      ['day', 'date from 2024-02-28', 0, 1, 2],
      ['moment', 'date from 2024-05-01', 0.25 + 1 / 48, 1.5 + 1 / 48, 2.75 + 1 / 48].map((value) =>
        typeof value === 'number' ? Math.round(value * 86_400) / 86_400 : value,
      ),
      ['share', 'real', 0.125, 0.25, 0.375],
      ['text', 'text', 'a bold text 1', 'a bold text 0', 'a bold text 1'],
      ['sum', 'real', 0.25, 0.5, 0.75],
      ['missing', 'integer', 2, NAN, 4],
    ]);
  });

  it('have times without a date as parts of a day', () => {
    const data = [
      ['1899-12-30T06:00:00Z', '1899-12-31T12:00:00Z', '1900-01-01T00:00:00Z'].map((text) => new Date(text)),
    ];
    const [sheet] = visibleSheets([{ sheet: 'Times', data }], '');
    assert.deepEqual(sheet.rows(), [['0.25', '1.5', '1900-01-01']]);
  });

  it('offer no decimal comma, except for texts that have one', () => {
    const read = (...numbers: readonly string[]) =>
      readTable(recordCells([['x'], ...numbers.map((each) => [each])], ''));
    assert.equal(read('1.5', '2.25').decimalComma, undefined);
    assert.equal(read('1,5', '2,25').decimalComma, true);
  });
});

/** Reads tables from files: CSV and similar texts, and workbooks. */
import { unzipSync } from 'fflate';
import papaparse from 'papaparse';
import readWorkbook from 'read-excel-file/universal';
import { decodeTable } from '../tables/decoding.js';
import { TableError } from '../tables/rows.js';
import { splitWith } from '../tables/separator.js';
import { readTable, recordCells, type Table, type TableCells, tableCells } from '../tables/table.js';
import { firstTable, type Sheet, sheetsIn } from '../tables/workbook.js';
import { readInput, UnreadableFile } from './input-files.js';

const split = splitWith((text, options) => papaparse.parse<unknown>(text, options));

/**
 * The table of a file; `-` is standard input. Of a workbook, the sheet with the name, by default the first one that is a table. Throws an
 * `UnreadableFile`.
 */
export async function readTableFile(path: string, sheet?: string): Promise<Table> {
  const name = path === '-' ? 'standard input' : path;
  const bytes = readInput(path === '-' ? 0 : path, { name });
  try {
    if (!/\.xls[xm]$/i.test(path)) return readTable(tableCells(decodeTable(bytes), name, split));
    return readTable(sheetCells(await openedSheets(bytes, name), name, sheet));
  } catch (error) {
    if (error instanceof TableError) throw new UnreadableFile(`${name} is not a table: ${error.message}`);
    throw error;
  }
}

async function openedSheets(bytes: Uint8Array, name: string): Promise<readonly Sheet[]> {
  try {
    return await sheetsIn(new Uint8Array(bytes).buffer, { readWorkbook, unzipSync });
  } catch (error) {
    throw new UnreadableFile(`${name} is not a workbook, or it is encrypted`, { cause: error });
  }
}

function sheetCells(sheets: readonly Sheet[], file: string, wanted: string | undefined): TableCells {
  if (wanted === undefined) return firstTable(sheets, file).cells;
  const found = sheets.find(({ name }) => name === wanted);
  if (found !== undefined) return recordCells(found.rows(), file);
  throw new UnreadableFile(
    `${file} has no sheet ${wanted}; its sheets are ${sheets.map(({ name }) => name).join(', ')}`,
  );
}

/** Reads tables in a worker: a million rows take seconds. */
import { expose } from 'comlink';
import { parse } from 'papaparse';
import { decodeTable } from '#engine/tables/decoding.js';
import { TableError, type TableFault } from '#engine/tables/rows.js';
import { splitWith } from '#engine/tables/separator.js';
import {
  readTable,
  recordCells,
  type Table,
  type TableCells,
  type TableChoices,
  tableCells,
} from '#engine/tables/table.js';
import { firstTable, type Sheet, sheetsIn } from '#engine/tables/workbook.js';

const split = splitWith((text, options) => parse<unknown>(text, options));

let source: TableCells | undefined;
/** The sheets of the opened workbook, and the one that was read. */
let workbook: { readonly sheets: readonly Sheet[]; readonly current: string } | undefined;

function read(choices: TableChoices): Table | undefined {
  if (source === undefined) return undefined;
  const table = readTable(source, choices);
  if (workbook === undefined) return table;
  const { current, sheets } = workbook;
  return { ...table, sheets: { names: sheets.map(({ name }) => name), current } };
}

/** Reads a table, or returns why it is none. */
function attempt(take: () => void): Table | TableFault | undefined {
  try {
    take();
    return read({});
  } catch (error) {
    if (error instanceof TableError) return error.reason;
    throw error;
  }
}

/** Opens the sheets of a workbook. The libraries are loaded with the first one. */
async function openSheets(content: ArrayBuffer): Promise<readonly Sheet[]> {
  const [{ default: readWorkbook }, { unzipSync }] = await Promise.all([
    import('read-excel-file/universal'),
    import('fflate'),
  ]);
  return sheetsIn(content, { readWorkbook, unzipSync });
}

const reader = {
  /** Reads a file or a text, which later calls of `read` refer to. */
  open(content: ArrayBuffer | string, name: string): Table | TableFault | undefined {
    return attempt(() => {
      const text = typeof content === 'string' ? content : decodeTable(new Uint8Array(content));
      source = tableCells(text, name, split);
      workbook = undefined;
    });
  },

  /** Reads the first sheet of a workbook that is a table. */
  async openWorkbook(content: ArrayBuffer, file: string): Promise<Table | TableFault | undefined> {
    const sheets = await openSheets(content);
    return attempt(() => {
      const { cells, sheet } = firstTable(sheets, file);
      source = cells;
      workbook = { sheets, current: sheet };
    });
  },

  /** Reads another sheet of the opened workbook. */
  readSheet(name: string): Table | TableFault | undefined {
    return workbook && openSheet(workbook.sheets, name, source?.name ?? '');
  },

  /** Reads the columns of the opened table again. */
  read,
};

function openSheet(sheets: readonly Sheet[], name: string, file: string): Table | TableFault | undefined {
  return attempt(() => {
    const sheet = sheets.find((each) => each.name === name);
    if (sheet === undefined) return;
    source = recordCells(sheet.rows(), file);
    workbook = { sheets, current: name };
  });
}

export type TableReader = typeof reader;

expose(reader);

/** Reads tables in a worker: a million rows take seconds. */
import { expose } from 'comlink';
import { parse } from 'papaparse';
import { decodeTable } from '#engine/tables/decoding.js';
import { TableError, type TableFault } from '#engine/tables/rows.js';
import type { Split } from '#engine/tables/separator.js';
import {
  readTable,
  recordCells,
  type Table,
  type TableCells,
  type TableChoices,
  tableCells,
} from '#engine/tables/table.js';
import type { Sheet } from '#engine/tables/workbook.js';

// Rows are arrays: as members of an object, columns such as __proto__ and constructor would be those of every object.
const split: Split = (text, delimiter) => {
  const { data, errors } = parse<readonly string[]>(text, { delimiter });
  return { records: data, unclosed: errors.find(({ code }) => code === 'MissingQuotes')?.row };
};

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

async function sheetsIn(content: ArrayBuffer): Promise<readonly Sheet[]> {
  const [{ default: readWorkbook }, { strFromU8, unzipSync }, { visibleSheets }] = await Promise.all([
    import('read-excel-file/universal'),
    import('fflate'),
    import('#engine/tables/workbook.js'),
  ]);
  const name = 'xl/workbook.xml';
  const contents = unzipSync(new Uint8Array(content), { filter: (file) => file.name === name })[name];
  return visibleSheets(await readWorkbook(content), strFromU8(contents));
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
    const sheets = await sheetsIn(content);
    for (const { name } of sheets) {
      const table = openSheet(sheets, name, file);
      if (table !== undefined && !('kind' in table)) return table;
    }
    return { kind: 'noRows' };
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

/** Reads tables and writes data from them in a worker: a million rows take seconds. Values stay here; the page receives outlines. */
import { expose } from 'comlink';
import { parse } from 'papaparse';
import { withFewLabels } from '#engine/derive/level-labels.js';
import type { FormulaFault } from '#engine/formula/faults.js';
import { type FormulaModel, type FormulaRequest, modelFromFormula } from '#engine/formula/model.js';
import { decodeTable } from '#engine/tables/decoding.js';
import { outlineOf, type TableOutline } from '#engine/tables/outline.js';
import { TableError, type TableFault } from '#engine/tables/rows.js';
import { splitWith } from '#engine/tables/separator.js';
import {
  countIncomplete,
  readTable,
  recordCells,
  type Table,
  type TableCells,
  type TableChoices,
  tableCells,
} from '#engine/tables/table.js';
import { firstTable, type Sheet, sheetsIn } from '#engine/tables/workbook.js';
import { type ColumnChoice, dataOfColumns, dataOfSources, type SourceChoice, type TableData } from './table-data.js';

const split = splitWith((text, options) => parse<unknown>(text, options));

let source: TableCells | undefined;
let table: Table | undefined;
/** The sheets of the opened workbook, and the one that was read. */
let workbook: { readonly sheets: readonly Sheet[]; readonly current: string } | undefined;

function read(choices: TableChoices): TableOutline | undefined {
  if (source === undefined) return undefined;
  table = readTable(source, choices);
  const outline = outlineOf(table);
  if (workbook === undefined) return outline;
  const { current, sheets } = workbook;
  return { ...outline, sheets: { names: sheets.map(({ name }) => name), current } };
}

/** Reads a table, or returns why it is none. */
function attempt(take: () => void): TableOutline | TableFault | undefined {
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
  open(content: ArrayBuffer | string, name: string): TableOutline | TableFault | undefined {
    return attempt(() => {
      const text = typeof content === 'string' ? content : decodeTable(new Uint8Array(content));
      source = tableCells(text, name, split);
      workbook = undefined;
    });
  },

  /** Reads the first sheet of a workbook that is a table. */
  async openWorkbook(content: ArrayBuffer, file: string): Promise<TableOutline | TableFault | undefined> {
    const sheets = await openSheets(content);
    return attempt(() => {
      const { cells, sheet } = firstTable(sheets, file);
      source = cells;
      workbook = { sheets, current: sheet };
    });
  },

  /** Reads another sheet of the opened workbook. */
  readSheet(name: string): TableOutline | TableFault | undefined {
    return workbook && openSheet(workbook.sheets, name, source?.name ?? '');
  },

  /** Reads the columns of the opened table again. */
  read,

  /** The number of rows with a missing value in one of the columns. */
  countIncomplete(columns: readonly string[]): number {
    return countIncomplete(opened(), columns);
  },

  dataOfColumns(choice: ColumnChoice): TableData {
    return dataOfColumns(opened(), choice);
  },

  dataOfSources(choice: SourceChoice, data: string): Pick<TableData, 'data' | 'levels'> {
    return dataOfSources(opened(), choice, data);
  },

  /** The faults of a formula, and the number of rows that its program leaves out. */
  checkFormula(request: FormulaQuestion): Faults & Pick<FormulaModel, 'omitted'> {
    const made = modelFromFormula({ ...request, table: opened() });
    return 'faults' in made ? { ...made, omitted: 0 } : { faults: [], omitted: made.omitted };
  },

  modelFromFormula(request: FormulaQuestion): FormulaModel | Faults {
    const made = modelFromFormula({ ...request, table: opened() });
    return 'faults' in made ? made : { ...made, levels: withFewLabels(made.levels) };
  },
};

interface Faults {
  readonly faults: readonly FormulaFault[];
}

/** A formula for the opened table. */
export type FormulaQuestion = Omit<FormulaRequest, 'table'>;

function opened(): Table {
  if (table === undefined) throw new Error('no table is open');
  return table;
}

function openSheet(sheets: readonly Sheet[], name: string, file: string): TableOutline | TableFault | undefined {
  return attempt(() => {
    const sheet = sheets.find((each) => each.name === name);
    if (sheet === undefined) return;
    source = recordCells(sheet.rows(), file);
    workbook = { sheets, current: name };
  });
}

export type TableReader = typeof reader;

expose(reader);

/** Reads tables in a worker: a million rows take seconds. */
import { expose } from 'comlink';
import { parse } from 'papaparse';
import { decodeTable } from '#engine/tables/decoding.js';
import { TableError, type TableFault } from '#engine/tables/rows.js';
import type { Split } from '#engine/tables/separator.js';
import { readTable, type Table, type TableCells, type TableChoices, tableCells } from '#engine/tables/table.js';

// Rows are arrays: as members of an object, columns such as __proto__ and constructor would be those of every object.
const split: Split = (text, delimiter) => {
  const { data, errors } = parse<readonly string[]>(text, { delimiter });
  return { records: data, unclosed: errors.find(({ code }) => code === 'MissingQuotes')?.row };
};

let source: TableCells | undefined;

const reader = {
  /** Reads a file or a text, which later calls of `read` refer to. */
  open(content: ArrayBuffer | string, name: string): Table | TableFault {
    const text = typeof content === 'string' ? content : decodeTable(new Uint8Array(content));
    try {
      source = tableCells(text, name, split);
      return readTable(source);
    } catch (error) {
      if (error instanceof TableError) return error.reason;
      throw error;
    }
  },

  /** Reads the columns of the opened table again. */
  read(choices: TableChoices): Table | undefined {
    return source && readTable(source, choices);
  },
};

export type TableReader = typeof reader;

expose(reader);

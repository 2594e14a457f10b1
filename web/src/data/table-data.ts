/** Data from the columns of a table, as JSON text. */
import type { DataMember } from '#engine/derive/data-block.js';
import { type IndexLevels, withFewLabels } from '#engine/derive/level-labels.js';
import { parseStanData } from '#engine/formats/stan-json.js';
import { type ColumnUse, membersOfTable } from '#engine/tables/members.js';
import { completeRows, type Table } from '#engine/tables/table.js';
import { withMembers } from './members.js';
import { shapesOf } from './shapes.js';
import { columnOf, type Source, sourceJson, sourceLabels } from './sources.js';

export interface TableData {
  /** JSON text. */
  readonly data: string;
  /** The labels of the variables with codes. */
  readonly levels: readonly IndexLevels[];
  /** What the values of variables are, as comments. */
  readonly notes: ReadonlyMap<string, string>;
  /** The variables of the data. */
  readonly members: readonly DataMember[];
}

/** How columns become variables. */
export interface ColumnChoice {
  readonly columns: readonly string[];
  readonly uses: ReadonlyMap<string, ColumnUse>;
  /** Whether rows with a missing value in one of the columns are left out. */
  readonly isComplete: boolean;
}

/** Variables of a program, with their sources in a table. */
export interface SourceChoice {
  readonly used: readonly { readonly name: string; readonly source: Source }[];
  readonly isComplete: boolean;
}

/** The chosen columns as data of a new program. */
export function dataOfColumns(table: Table, { columns, isComplete, uses }: ColumnChoice): TableData {
  const made = membersOfTable(isComplete ? completeRows(table, columns) : table, columns, uses);
  const data = withMembers('{}', new Map(made.map(({ name, json }) => [name, json])));
  return {
    data,
    members: shapesOf(parseStanData(data)),
    levels: withFewLabels(
      made.flatMap(({ name, labels }) => (labels === undefined ? [] : [{ variable: name, labels }])),
    ),
    notes: new Map(made.flatMap(({ name, note }) => (note === undefined ? [] : [[name, note]]))),
  };
}

/** Data in which the sources replace variables. */
export function dataOfSources(
  table: Table,
  { isComplete, used }: SourceChoice,
  data: string,
): Pick<TableData, 'data' | 'levels'> {
  const columns = used.flatMap(({ source }) => columnOf(source) ?? []);
  const rows = isComplete ? completeRows(table, columns) : table;
  const changes = used.flatMap(({ name, source }): [string, string][] => {
    const json = sourceJson(rows, source);
    return json === undefined ? [] : [[name, json]];
  });
  const levels = used.flatMap(({ name, source }) => {
    const labels = sourceLabels(rows, source);
    return labels === undefined ? [] : [{ variable: name, labels }];
  });
  return { data: withMembers(data, new Map(changes)), levels: withFewLabels(levels) };
}

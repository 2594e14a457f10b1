/** Which column of a table a data variable is likely to mean. */
import type { ProgramInfo, VariableInfo } from '#engine/analyze.js';
import type { Source, Table } from './table.js';

export interface Assignable {
  readonly name: string;
  /** A variable of one dimension takes a column, an integer a number of rows or levels. */
  readonly takes: 'column' | 'count';
}

/** The variables of a program that a table can give. */
export function assignableVariables(inputs: ProgramInfo['inputs']): readonly Assignable[] {
  return Object.entries(inputs).flatMap(([name, info]) => {
    const takes = takenBy(info);
    return takes === undefined ? [] : [{ name, takes }];
  });
}

function takenBy({ type, dimensions }: VariableInfo): Assignable['takes'] | undefined {
  if (dimensions === 1 && (type === 'int' || type === 'real')) return 'column';
  return dimensions === 0 && type === 'int' ? 'count' : undefined;
}

/** Columns of the same name, whatever their case; the number of rows for `N` and its like. */
export function likelySource({ name, takes }: Assignable, table: Table): Source | undefined {
  if (takes === 'column') {
    const same = table.columns.find((column) => plain(column.name) === plain(name));
    return same && { kind: 'column', column: same.name };
  }
  if (/^(?:N|n|N_obs|n_obs|N_rows|T|I)$/.test(name)) return { kind: 'rows' };
  const counted = table.columns.find((column) =>
    [`n${plain(column.name)}`, `num${plain(column.name)}`].includes(plain(name)),
  );
  return counted && { kind: 'levels', column: counted.name };
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

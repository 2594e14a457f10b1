/** Suggests the column of a table for each data variable. */
import type { ProgramInfo, VariableInfo } from '#engine/analyze.js';
import type { ColumnOutline, TableOutline } from '#engine/tables/outline.js';
import type { Source } from './sources.js';

export interface Assignable {
  readonly name: string;
  /** A one-dimensional variable accepts a column of integers or reals; an integer accepts a number of rows or levels. */
  readonly takes: 'integers' | 'reals' | 'count';
}

/** The variables of a program that can be assigned from a table. */
export function assignableVariables(inputs: ProgramInfo['inputs']): readonly Assignable[] {
  return Object.entries(inputs).flatMap(([name, info]) => {
    const takes = takenBy(info);
    return takes === undefined ? [] : [{ name, takes }];
  });
}

function takenBy({ type, dimensions }: VariableInfo): Assignable['takes'] | undefined {
  if (dimensions === 1 && type === 'int') return 'integers';
  if (dimensions === 1 && type === 'real') return 'reals';
  return dimensions === 0 && type === 'int' ? 'count' : undefined;
}

/**
 * Possible sources of a variable. A text column can be an index or an indicator for integers, and an indicator for reals, because group codes are not
 * covariates.
 */
export function sourcesFor({ takes }: Assignable, { columns }: TableOutline): readonly Source[] {
  if (takes === 'count') {
    return [
      { kind: 'rows' },
      ...columns
        .filter((column) => column.kind === 'integer' || column.isGrouping)
        .map(({ name }): Source => ({ kind: 'levels', column: name })),
    ];
  }
  return columns.flatMap((column): Source[] => {
    const whole: Source = { kind: 'column', column: column.name };
    if (column.kind === 'integer' || column.kind === 'real') return [whole];
    const groups: readonly Source[] = column.isGrouping ? [{ kind: 'groups', column: column.name }] : [];
    if (column.kind === 'date') return takes === 'integers' ? [whole, ...groups] : [whole];
    return takes === 'integers' ? [...groups, ...indicatorsOf(column)] : indicatorsOf(column);
  });
}

/** Maximum number of levels of a column with indicators: with more coefficients, use an index. */
const MOST_INDICATORS = 12;

/** An indicator for each level except the first, which is the reference. */
function indicatorsOf(column: ColumnOutline): Source[] {
  const [, ...levels] = column.levels;
  if (levels.length > MOST_INDICATORS) return [];
  return levels.map((level) => ({ kind: 'indicator', column: column.name, level }));
}

/** The column with the same name, ignoring case, or an indicator whose level is part of the name; for `N` and similar names, the number of rows. */
export function likelySource(variable: Assignable, table: TableOutline): Source | undefined {
  const { name, takes } = variable;
  if (takes !== 'count') {
    const called = plain(name);
    const offered = sourcesFor(variable, table);
    const indicators = offered.filter((source) => source.kind === 'indicator');
    return (
      offered.find(
        (source) => (source.kind === 'column' || source.kind === 'groups') && plain(source.column) === called,
      ) ??
      indicators.find(({ column, level }) => [plain(level), plain(column + level)].includes(called)) ??
      // A column with two levels has one indicator.
      only(indicators.filter(({ column }) => plain(column) === called))
    );
  }
  if (/^(?:N|n|N_obs|n_obs|N_rows|T|I)$/.test(name)) return { kind: 'rows' };
  const counted = table.columns.find((column) =>
    [`n${plain(column.name)}`, `num${plain(column.name)}`].includes(plain(name)),
  );
  return counted && { kind: 'levels', column: counted.name };
}

function only<Each>(found: readonly Each[]): Each | undefined {
  return found.length === 1 ? found[0] : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Which column of a table a data variable is likely to mean. */
import type { ProgramInfo, VariableInfo } from '#engine/analyze.js';
import { levelsOf, type Source, type Table, type TableColumn } from './table.js';

export interface Assignable {
  readonly name: string;
  /** A variable of one dimension takes a column of integers or reals, an integer a number of rows or levels. */
  readonly takes: 'integers' | 'reals' | 'count';
}

/** The variables of a program that a table can give. */
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
 * What a variable can be given. Of a column of texts, integers can be an index or an indicator; reals can be an indicator, because codes
 * of groups are no covariate.
 */
export function sourcesFor({ takes }: Assignable, { columns }: Table): readonly Source[] {
  if (takes === 'count') {
    return [
      { kind: 'rows' },
      ...columns.filter(({ kind }) => kind !== 'real').map(({ name }): Source => ({ kind: 'levels', column: name })),
    ];
  }
  return columns.flatMap((column): Source[] => {
    const whole: Source = { kind: 'column', column: column.name };
    if (column.kind !== 'text') return [whole];
    return takes === 'integers' ? [whole, ...indicatorsOf(column)] : indicatorsOf(column);
  });
}

/** Columns of more texts have no indicators: that many coefficients are an index. */
const MOST_INDICATORS = 12;

/** An indicator for each text but the first, which is the reference. */
function indicatorsOf(column: TableColumn): Source[] {
  const [, ...levels] = levelsOf(column);
  if (levels.length > MOST_INDICATORS) return [];
  return levels.map((level) => ({ kind: 'indicator', column: column.name, level }));
}

/** Columns of the same name, whatever their case, or an indicator whose text the name contains; the number of rows for `N` and its like. */
export function likelySource(variable: Assignable, table: Table): Source | undefined {
  const { name, takes } = variable;
  if (takes !== 'count') {
    const called = plain(name);
    const offered = sourcesFor(variable, table);
    const indicators = offered.filter((source) => source.kind === 'indicator');
    return (
      offered.find((source) => source.kind === 'column' && plain(source.column) === called) ??
      indicators.find(({ column, level }) => [plain(level), plain(column + level)].includes(called)) ??
      // Of two texts, there is one indicator.
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

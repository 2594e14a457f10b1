import { useMemo } from 'react';
import type { Plot } from '#engine/plots/scene.js';
import { numerals, t } from '../../words/messages.js';
import { type NumberColumn, NumberTable } from './NumberTable.js';

interface Row {
  readonly index: number;
  readonly cells: readonly (number | string)[];
}

/** The numbers of a plot as a table that replaces the plot. */
export function PlotNumbers({ plot }: { readonly plot: Plot }) {
  const { columns, rows } = useMemo(() => {
    const { columns, rows } = plot.table();
    return { columns, rows: rows.map((cells, index): Row => ({ index, cells })) };
  }, [plot]);
  const [head = '', ...others] = columns;
  return (
    <NumberTable
      label={t('plots.numbersOf', { title: plot.title })}
      rows={rows}
      keyOf={({ index }) => `${index}`}
      head={{ heading: head, meaning: head, value: (row) => cellOf(row, 0), content: (row) => textOf(row, 0) }}
      columns={others.map(
        (heading, index): NumberColumn<Row> => ({
          heading,
          meaning: heading,
          text: (row) => textOf(row, index + 1),
          value: (row) => cellOf(row, index + 1),
        }),
      )}
    />
  );
}

function cellOf({ cells }: Row, column: number): number | string {
  return cells[column] ?? '';
}

function textOf(row: Row, column: number): string {
  const cell = cellOf(row, column);
  return typeof cell === 'number' && !Number.isInteger(cell) ? numerals.column(cell) : `${cell}`;
}

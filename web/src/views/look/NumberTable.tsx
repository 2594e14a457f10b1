import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { usePrinting } from '../usePrinting.js';
import { TableFrame } from './TableFrame.js';

/** A column of a table of numbers. */
export interface NumberColumn<Row> {
  readonly heading: string;
  /** A sentence that explains the numbers. */
  readonly meaning: string;
  readonly text: (row: Row) => string;
  /** The sort key; NaN comes last. */
  readonly value: (row: Row) => number | string;
  readonly isBad?: (row: Row) => boolean;
  /** Keeps the column at the right edge while the others scroll: its position, counted from the edge. In narrow tables, the third comes first. */
  readonly keeps?: 1 | 2 | 3;
}

export interface NumberTableProps<Row> {
  /** The accessible label of the table. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The header column: its heading, and the content of its cells. */
  readonly head: Omit<NumberColumn<Row>, 'text'> & { readonly content: (row: Row) => ReactNode };
  readonly columns: readonly NumberColumn<Row>[];
  readonly isChosen?: (row: Row) => boolean;
  /** The rows when they are sorted, if they differ from the unsorted ones. */
  readonly sortedRows?: readonly Row[];
}

interface Order {
  /** The column's heading. */
  readonly column: string;
  readonly isUp: boolean;
}

/** Maximum width of a narrow table in pixels. */
const NARROW = 460;

const ROW_HEIGHT = 28;
/** Number of rows rendered beyond the visible ones, so that scrolling shows no empty space. */
const MARGIN = 10;

/** Maximum number of rows on paper: about thirty pages. */
const MOST_PRINTED = 1000;

/** A table of numbers that can be sorted by column. On the screen, only visible rows are rendered. */
export function NumberTable<Row>({
  label,
  rows,
  keyOf,
  head,
  columns,
  isChosen,
  sortedRows = rows,
}: NumberTableProps<Row>) {
  const [order, setOrder] = useState<Order>();
  const frame = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [isNarrow, setNarrow] = useState(false);
  useEffect(() => {
    if (frame.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      setHeight(entry?.contentRect.height ?? 0);
      setNarrow((entry?.contentRect.width ?? NARROW) < NARROW);
    });
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  const inOrder = isNarrow ? columns.toSorted((a, b) => Number(b.keeps === 3) - Number(a.keeps === 3)) : columns;
  const by = order && [head, ...columns].find(({ heading }) => heading === order.column)?.value;
  const isUp = order?.isUp ?? true;
  const shown = useMemo(() => (by === undefined ? rows : sorted(sortedRows, by, isUp)), [rows, sortedRows, by, isUp]);
  const isPrinting = usePrinting();
  const first = isPrinting ? 0 : Math.max(0, Math.floor(top / ROW_HEIGHT) - MARGIN);
  const last = Math.min(shown.length, isPrinting ? MOST_PRINTED : Math.ceil((top + height) / ROW_HEIGHT) + MARGIN);
  const headCell = ({ heading, keeps, meaning }: Pick<NumberColumn<Row>, 'heading' | 'keeps' | 'meaning'>) => {
    const isOrder = order?.column === heading;
    return (
      <th
        key={heading}
        scope="col"
        className={keptClass(keeps)}
        aria-sort={isOrder ? (isUp ? 'ascending' : 'descending') : 'none'}
      >
        <button type="button" className="quiet" title={meaning} onClick={() => setOrder(nextOrder(order, heading))}>
          {heading}
          {isOrder && <span aria-hidden="true">{isUp ? '↑' : '↓'}</span>}
        </button>
      </th>
    );
  };
  return (
    <TableFrame ref={frame} label={label} onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}>
      <table className="numbers" aria-rowcount={shown.length + 1}>
        <thead>
          <tr>
            {headCell(head)}
            {inOrder.map(headCell)}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr style={{ height: first * ROW_HEIGHT }} />}
          {shown.slice(first, last).map((row) => (
            <tr key={keyOf(row)} className={isChosen?.(row) === true ? 'chosen' : ''}>
              <th scope="row">{head.content(row)}</th>
              {inOrder.map(({ heading, text, isBad, keeps }) => (
                <td key={heading} className={`${keptClass(keeps)} ${isBad?.(row) === true ? 'wrong' : ''}`}>
                  {text(row)}
                </td>
              ))}
            </tr>
          ))}
          {last < shown.length && !isPrinting && <tr style={{ height: (shown.length - last) * ROW_HEIGHT }} />}
        </tbody>
      </table>
    </TableFrame>
  );
}

function keptClass(place: NumberColumn<unknown>['keeps']): string {
  return place === undefined ? '' : `kept kept-${place}`;
}

/** Ascending, descending, then unsorted. */
function nextOrder(order: Order | undefined, column: string): Order | undefined {
  if (order?.column !== column) return { column, isUp: true };
  return order.isUp ? { column, isUp: false } : undefined;
}

function sorted<Row>(rows: readonly Row[], by: (row: Row) => number | string, isUp: boolean): readonly Row[] {
  return rows.toSorted((first, second) => {
    const [a, b] = [by(first), by(second)];
    if (Number.isNaN(a)) return 1;
    if (Number.isNaN(b)) return -1;
    const difference =
      typeof a === 'number' && typeof b === 'number' ? a - b : `${a}`.localeCompare(`${b}`, 'en', { numeric: true });
    return isUp ? difference : -difference;
  });
}

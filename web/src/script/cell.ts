/** Evaluates a script with the functions that it calls for output. */
import { composed } from './composing.js';
import { PictureDocument, PictureElement } from './picture-document.js';
import type { ScriptOrder, ScriptOutput } from './script-output.js';

type Plotting = typeof import('@observablehq/plot');

/** Rows of a table that are shown. */
const MOST_ROWS = 200;

/** Runs a script to its end. `plotting` is undefined if the script does not name Plot. */
export async function runCell(
  order: ScriptOrder,
  plotting: Plotting | undefined,
  report: (output: ScriptOutput) => void,
): Promise<void> {
  const { source, names, columns, chain, data, faults, ink, surface } = order;
  // Plot uses the document of the global window.
  Reflect.defineProperty(globalThis, 'window', { value: { document: new PictureDocument(faults.noCanvas) } });
  const draws = Object.fromEntries(names.map((name, place) => [name, columns[place]]));
  const show = (plot: unknown): void => {
    const element = plottable(plot) ? plot.plot() : plot;
    const svg = element instanceof PictureElement ? composed(element, ink, surface) : undefined;
    if (!(element instanceof PictureElement) || svg === undefined) throw new Error(faults.notPlot);
    const label = element.querySelector('h2')?.textContent ?? element.getAttribute('aria-label') ?? 'Plot';
    report({ kind: 'picture', svg, label });
  };
  const print = (...values: readonly unknown[]): void => report({ kind: 'text', text: values.map(textOf).join(' ') });
  const table = (value: unknown): void => {
    const output = tableOf(value);
    if (output === undefined) throw new Error(faults.notTable);
    report(output);
  };
  const console = { log: print, info: print, warn: print, error: print, table };
  const given = { console, draws, chain, data, Plot: plotting, show, print, table };
  try {
    const run: (...values: readonly unknown[]) => Promise<unknown> = new AsyncFunction(...Object.keys(given), source);
    const returned = await run(...Object.values(given));
    if (returned !== undefined) report({ kind: 'data', json: JSON.stringify(plain(returned), null, 2) });
  } catch (error) {
    report(errorOf(error));
  }
}

const AsyncFunction: new (...texts: readonly string[]) => (...values: readonly unknown[]) => Promise<unknown> =
  Object.getPrototypeOf(async () => undefined).constructor;

/** An error with the line of the script. A function's text has two lines before its body. */
export function errorOf(error: unknown): ScriptOutput {
  if (!(error instanceof Error)) return { kind: 'error', message: textOf(error) };
  const [, line] = /(?:<anonymous>|> (?:Async)?Function):(\d+):\d+/.exec(error.stack ?? '') ?? [];
  const message = `${error.name}: ${error.message}`;
  if (error instanceof SyntaxError && line === undefined) return { kind: 'error', message, isSyntax: true };
  return { kind: 'error', message, line: line === undefined ? undefined : Number(line) - 2 };
}

function plottable(value: unknown): value is { plot(): unknown } {
  return typeof value === 'object' && value !== null && 'plot' in value && typeof value.plot === 'function';
}

/** Values for JSON: typed arrays as arrays, numbers that JSON lacks as Stan reads them. */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : `${value}`;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return plain(Array.from(numbersIn(value)));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

function numbersIn(view: ArrayBufferView): Iterable<unknown> {
  return Symbol.iterator in view ? Array.from(Object.values(view)) : [];
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'function' || value === undefined || typeof value !== 'object') return String(value);
  const text = JSON.stringify(plain(value));
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** Characters of an object that are printed. */
const MOST_CHARACTERS = 10_000;

/** A table of rows, which are objects, or of columns, which are arrays; undefined for other values. */
function tableOf(value: unknown): ScriptOutput | undefined {
  const read: unknown = plain(value);
  const rows: readonly object[] | undefined = Array.isArray(read) ? read.filter(isObject) : undefined;
  if (rows !== undefined) {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const cells = rows.slice(0, MOST_ROWS).map((row) => {
      const known = new Map(Object.entries(row));
      return columns.map((name) => cellOf(known.get(name)));
    });
    return { kind: 'table', columns, rows: cells, left: rows.length - cells.length };
  }
  if (!isObject(read)) return undefined;
  const columns = Object.entries(read).map(([name, values]) => ({
    name,
    values: Array.isArray(values) ? values : [values],
  }));
  const length = Math.max(0, ...columns.map(({ values }) => values.length));
  const shown = Math.min(length, MOST_ROWS);
  const cells = Array.from({ length: shown }, (_, row) => columns.map(({ values }) => cellOf(values[row])));
  return { kind: 'table', columns: columns.map(({ name }) => name), rows: cells, left: length - shown };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function cellOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'number' && !Number.isInteger(value) ? `${Number(value.toPrecision(6))}` : textOf(value);
}

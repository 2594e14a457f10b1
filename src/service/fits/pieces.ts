/** Divides the response with a fit into pieces. Reads only the messages, not the numbers. */

import { checkedLines } from '../../fit-files/checked-file.js';
import type { FitContents } from '../../fit-files/contents.js';
import { chainFile, parseRunLine } from '../../fit-files/layout.js';
import { columnNames, type FitFormat, type FitPart, type Rows } from '../../fit-files/parts.js';
import { csvComments } from '../../formats/csv.js';
import type { ChainRange, FitSelection } from '../threads/selection.js';

/** Bytes of a text piece and of a table piece. Small, because pieces are buffered until they are sent. */
const TEXT_BYTES = 1 << 18;
const TABLE_BYTES = 1 << 19;
/** Approximate bytes of a number as text, with its separator. */
const NUMBER_BYTES = 20;

/** Collects parts until they fill a piece. */
class Piece {
  readonly parts: FitPart[] = [];
  private readonly size: number;
  private bytes = 0;

  constructor(format: FitFormat) {
    this.size = format === 'arrow' ? TABLE_BYTES : TEXT_BYTES;
  }

  get isFull(): boolean {
    return this.bytes >= this.size;
  }

  get isEmpty(): boolean {
    return this.parts.length === 0;
  }

  add(part: FitPart, bytes: number): void {
    const last = this.parts[this.parts.length - 1];
    this.bytes += bytes;
    if (part.kind === 'text' && last?.kind === 'text') {
      this.parts[this.parts.length - 1] = { kind: 'text', text: last.text + part.text };
    } else {
      this.parts.push(part);
    }
  }

  /** Remaining rows of this piece. */
  room(rowBytes: number): number {
    return Math.max(1, Math.ceil((this.size - this.bytes) / rowBytes));
  }
}

/** The pieces of a fit in a format, with `opening` first. */
export async function* piecesOf(
  contents: FitContents,
  selection: FitSelection,
  format: FitFormat,
  opening: readonly FitPart[],
): AsyncGenerator<readonly FitPart[]> {
  const rowBytes = rowBytesOf(contents, selection, format);
  let piece = new Piece(format);
  for (const part of opening) piece.add(part, 0);
  for (const range of selection.chains) {
    for await (const part of format === 'arrow'
      ? tableParts(range)
      : messageParts(contents, selection, range, format)) {
      if (part.kind !== 'rows') {
        piece.add(part, part.kind === 'text' ? part.text.length : 0);
        if (!piece.isFull) continue;
        yield piece.parts;
        piece = new Piece(format);
        continue;
      }
      for (let rest = part; rest.count > 0; ) {
        const count = Math.min(rest.count, piece.room(rowBytes[rest.pattern]));
        piece.add({ ...rest, count }, count * rowBytes[rest.pattern]);
        rest = { ...rest, count: rest.count - count, draw: rest.draw + count, diagnostic: rest.diagnostic + count };
        if (!piece.isFull) continue;
        yield piece.parts;
        piece = new Piece(format);
      }
    }
  }
  if (!piece.isEmpty) yield piece.parts;
}

function rowBytesOf(
  contents: FitContents,
  selection: FitSelection,
  format: FitFormat,
): Record<Rows['pattern'], number> {
  const drawNames = columnNames(contents, selection.columns);
  if (format === 'arrow') return { s: 8 * drawNames.length + 8, sd: 8 * drawNames.length + 8, d: 0 };
  const keys = (names: readonly string[]) => names.reduce((sum, name) => sum + name.length + NUMBER_BYTES + 4, 80);
  const s = format === 'csv' ? NUMBER_BYTES * drawNames.length : keys(drawNames);
  const d = format === 'csv' ? 0 : keys(contents.diagnosticColumns);
  return { s, d, sd: s + d };
}

function* tableParts({ chain, from, to }: ChainRange): Generator<FitPart> {
  yield { kind: 'rows', chain: chain.id, pattern: 's', draw: from, diagnostic: 0, count: to - from };
}

/**
 * The messages of a chain, with draws and diagnostics as rows. Diagnostics are omitted if columns are selected; diagnostics without
 * a draw are omitted if draws are selected.
 */
async function* messageParts(
  contents: FitContents,
  selection: FitSelection,
  { chain, from, to }: ChainRange,
  format: FitFormat,
): AsyncGenerator<FitPart> {
  const keepsDiagnostics = format === 'ndjson' && selection.columns === undefined;
  const file = chainFile(contents.path, chain.id, 'messages');
  if (format === 'csv' && selection.chains.length > 1) yield { kind: 'text', text: `# chain ${chain.id}\n` };
  let draw = 0;
  let diagnostic = 0;
  for await (const line of checkedLines(file, chain.files.messages)) {
    const run = parseRunLine(line);
    if (run === undefined) {
      const text = format === 'csv' ? csvComments(line) : `${line}\n`;
      if (text !== '') yield { kind: 'text', text };
      continue;
    }
    const { count, pattern } = run;
    if (pattern === 'd') {
      if (keepsDiagnostics && !selection.isRange) {
        yield { kind: 'rows', chain: chain.id, pattern, draw, diagnostic, count };
      }
      diagnostic += count;
      continue;
    }
    const start = Math.max(draw, from);
    const rows = Math.min(draw + count, to) - start;
    if (rows > 0) {
      const kept = keepsDiagnostics ? pattern : 's';
      const skipped = start - draw;
      yield {
        kind: 'rows',
        chain: chain.id,
        pattern: kept,
        draw: start,
        diagnostic: diagnostic + skipped,
        count: rows,
      };
    }
    draw += count;
    if (pattern === 'sd') diagnostic += count;
  }
}

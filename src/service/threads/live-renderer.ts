/** Renders journals of running fits as the bytes that clients receive. Synchronous, for worker threads. */
import { readSync } from 'node:fs';
import { type JournalHeader, JournalParser, type JournalRecord } from '../../fit-files/journal.js';
import type { RunPattern } from '../../fit-files/layout.js';
import { sideBySide, wordsOf } from '../../fit-files/rendering.js';
import { MessageSink, numberTexts } from '../../formats/message-sink.js';
import { numberText } from '../../formats/numbers.js';
import { type RowLayout, RowWriter } from '../../formats/row-writer.js';
import type { ErrorDetail } from '../errors.js';
import {
  type Followed,
  type FollowJob,
  type LiveForm,
  type LiveJournal,
  PART_BYTES,
  PART_SLICES,
  SLICE_BYTES,
} from './follow-job.js';
import { wantedColumns } from './selection.js';

/**
 * A piece ends at the first record that starts after a multiple of this number, so that pieces are the same for all
 * clients.
 */
const STRIDE_BYTES = 1 << 16;
/** Number of renderers that are cached, one per journal and form. */
const REMEMBERED = 4;

interface Rendered {
  readonly slices: readonly Uint8Array<ArrayBuffer>[];
  readonly to: number;
}

/** Renders a journal piece by piece. */
export class LiveRenderer {
  private readonly kernel: WebAssembly.Module;
  private readonly parser = new JournalParser('');
  private readonly known = new Map<string, LiveText>();
  /** The part of one piece that was rendered but not yet returned. */
  private rest: (Rendered & { readonly key: string; readonly skip: number }) | undefined;

  /** `kernel`: the module `text`. */
  constructor(kernel: WebAssembly.Module) {
    this.kernel = kernel;
  }

  render(job: FollowJob): Followed {
    const { journal, form, from, skip } = job;
    const key = keyOf(journal, form, from);
    const kept = this.rest;
    this.rest = undefined;
    const piece = kept?.key === key && kept.skip === skip ? kept : this.renderNow(job);
    if ('problem' in piece) return piece;
    const slices = piece === kept ? piece.slices : piece.slices.slice(skip / SLICE_BYTES);
    const { to } = piece;
    const rest = slices.slice(PART_SLICES);
    if (rest.length > 0) this.rest = { key, skip: skip + PART_BYTES, slices: rest, to };
    return { kind: 'followed', slices: slices.slice(0, PART_SLICES), more: rest.length > 0, to };
  }

  private renderNow(job: FollowJob): Rendered | Extract<Followed, { kind: 'not followed' }> {
    try {
      return this.renderAll(job);
    } catch (error) {
      // The renderer may contain part of a piece.
      this.known.delete(keyOf(job.journal, job.form));
      throw error;
    }
  }

  private renderAll({ journal, form, from }: FollowJob): Rendered | Extract<Followed, { kind: 'not followed' }> {
    const end = STRIDE_BYTES * (Math.floor(from / STRIDE_BYTES) + 1);
    let text = from === 0 ? undefined : this.textOf(journal, form);
    let to = from;
    for (const record of this.recordsFrom(journal, from)) {
      to = from + this.parser.taken;
      if (record.kind !== 'header') {
        text?.add(record);
      } else if (from === 0) {
        const begun = this.begin(journal, form, record.header);
        if ('problem' in begun) return { kind: 'not followed', problem: begun.problem };
        text = begun.text;
      }
      if (to >= end) break;
    }
    return { slices: text?.take() ?? [], to };
  }

  private textOf(journal: LiveJournal, form: LiveForm): LiveText {
    const known = this.known.get(keyOf(journal, form));
    if (known !== undefined) return known;
    const [first] = this.recordsFrom(journal, 0);
    const begun = first?.kind === 'header' ? this.begin(journal, form, first.header) : undefined;
    if (begun === undefined || 'problem' in begun) throw new Error('a journal has no header');
    return begun.text;
  }

  private begin(
    journal: LiveJournal,
    form: LiveForm,
    header: JournalHeader,
  ): { readonly text: LiveText } | { readonly problem: ErrorDetail } {
    const { variables } = form;
    const wanted = variables === undefined ? undefined : wantedColumns(variables, header.drawNames);
    if (wanted !== undefined && 'problem' in wanted) return wanted;
    const text = new LiveText(header, wanted?.places, form, new RowWriter(this.kernel));
    this.known.set(keyOf(journal, form), text);
    const [oldest] = this.known.keys();
    if (this.known.size > REMEMBERED && oldest !== undefined) this.known.delete(oldest);
    return { text };
  }

  /** The whole records from a position on. */
  private *recordsFrom({ descriptor, file }: LiveJournal, from: number): Generator<JournalRecord> {
    const { parser } = this;
    parser.clear(file);
    for (let position = from; ; ) {
      const space = parser.space().subarray(0, STRIDE_BYTES);
      const count = readSync(descriptor, space, 0, space.length, position);
      if (count === 0) return;
      position += count;
      yield* parser.take(count);
    }
  }
}

function keyOf({ file }: LiveJournal, { text, style, variables }: LiveForm, from?: number): string {
  return JSON.stringify([file, text, style, variables, from]);
}

/** Renders a journal in one form, record by record. Rows of numbers are collected and formatted by a kernel. */
class LiveText {
  private readonly form: LiveForm;
  private readonly places: readonly number[] | undefined;
  private readonly writer: RowWriter;
  private readonly layouts: Readonly<Record<RunPattern, RowLayout>>;
  private readonly slices = new Slices();
  private readonly texts: MessageSink;
  /** Pending rows, concatenated, and their kinds. */
  private rows: Float64Array[] = [];
  private pattern: RunPattern = 's';
  /** A draw whose diagnostic may follow. */
  private draw: Float64Array | undefined;

  constructor(header: JournalHeader, places: readonly number[] | undefined, form: LiveForm, writer: RowWriter) {
    const { chain, diagnosticNames, drawNames } = header;
    const names = places?.map((place) => drawNames[place]) ?? drawNames;
    const asEvents = form.text === 'draw events';
    const draw = numberTexts('sample', names, chain);
    const diagnostic = numberTexts('diagnostic', diagnosticNames, chain);
    const words = wordsOf((value) => numberText(value, form.style));
    this.form = form;
    this.places = places;
    this.writer = writer;
    this.texts = new MessageSink({ ...header, nonFinite: form.style }, (line) => {
      this.slices.add(new TextEncoder().encode(line));
    });
    this.layouts = {
      s: { texts: asEvents ? asEvent(draw) : draw, ...words },
      d: { texts: diagnostic, ...words },
      sd: { texts: sideBySide(draw, diagnostic), ...words },
    };
  }

  add(record: Exclude<JournalRecord, { kind: 'header' }>): void {
    switch (record.kind) {
      case 'line':
        this.settle();
        this.flush();
        if (this.form.text === 'messages') this.slices.add(new TextEncoder().encode(record.line));
        break;
      case 'initialization':
        this.settle();
        this.flush();
        if (this.form.text === 'messages') this.texts.initialization(record.values);
        break;
      case 'draw':
        this.settle();
        this.draw = this.places ? Float64Array.from(this.places, (at) => record.values[at]) : record.values.slice();
        break;
      case 'diagnostic': {
        if (this.form.text !== 'messages' || this.places !== undefined) break;
        const { draw } = this;
        this.draw = undefined;
        if (draw === undefined) this.addRow('d', record.values.slice());
        else this.addRow('sd', sideBySideNumbers(draw, record.values));
        break;
      }
    }
  }

  /** The text since the last call. */
  take(): readonly Uint8Array<ArrayBuffer>[] {
    this.settle();
    this.flush();
    return this.slices.take();
  }

  /** Writes the latest draw, which no diagnostic follows. */
  private settle(): void {
    if (this.draw !== undefined) this.addRow('s', this.draw);
    this.draw = undefined;
  }

  private addRow(pattern: RunPattern, row: Float64Array): void {
    if (pattern !== this.pattern) this.flush();
    this.pattern = pattern;
    this.rows.push(row);
  }

  private flush(): void {
    const { rows } = this;
    if (rows.length === 0) return;
    const bytes = this.writer.write(this.layouts[this.pattern], rows.length, (columns) => {
      for (const [k, row] of rows.entries()) {
        for (let column = 0; column < row.length; column++) columns[column * rows.length + k] = row[column];
      }
    });
    this.rows = [];
    this.slices.add(bytes);
  }
}

/** Server-sent events (HTML living standard, section 9.2) with the lines of these texts. */
function asEvent(texts: readonly string[]): string[] {
  const framed = [...texts];
  framed[0] = `event: draw\ndata: ${framed[0]}`;
  framed[framed.length - 1] += '\n';
  return framed;
}

function sideBySideNumbers(left: Float64Array, right: Float64Array): Float64Array {
  const both = new Float64Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}

/** Cuts consecutive bytes into slices that do not share memory. */
class Slices {
  private full: Uint8Array<ArrayBuffer>[] = [];
  private last = new Uint8Array(SLICE_BYTES);
  private filled = 0;

  add(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const part = bytes.subarray(done, done + SLICE_BYTES - this.filled);
      this.last.set(part, this.filled);
      this.filled += part.length;
      done += part.length;
      if (this.filled < SLICE_BYTES) continue;
      this.full.push(this.last);
      this.last = new Uint8Array(SLICE_BYTES);
      this.filled = 0;
    }
  }

  take(): readonly Uint8Array<ArrayBuffer>[] {
    const taken = this.filled === 0 ? this.full : [...this.full, this.last.slice(0, this.filled)];
    this.full = [];
    this.filled = 0;
    return taken;
  }
}

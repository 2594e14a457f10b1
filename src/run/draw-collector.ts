import type { EventSink } from '../inference/events.js';
import type { RunColumns, RunSink } from './request.js';

/** Keeps the draws of a chain in memory, and nothing else. */
export class DrawCollector implements RunSink, EventSink {
  names: readonly string[] = [];
  readonly rows: Float64Array[] = [];

  open({ drawNames }: RunColumns): EventSink {
    this.names = drawNames;
    return this;
  }

  /** The values of a column; undefined if no column has that name. */
  column(name: string): Float64Array | undefined {
    const place = this.names.indexOf(name);
    return place < 0 ? undefined : Float64Array.from(this.rows, (row) => row[place]);
  }

  draw(values: Float64Array): void {
    this.rows.push(values.slice());
  }

  log(): void {}
  progress(): void {}
  initialization(): void {}
  adaptation(): void {}
  elapsed(): void {}
  remark(): void {}
  diagnostic(): void {}
}

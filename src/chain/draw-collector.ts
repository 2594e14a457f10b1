import type { EventSink } from '../inference/events.js';
import type { RunColumns, RunSink } from './request.js';

/** Collects the draws of a chain, or some of their columns, in memory. Ignores all other events. */
export class DrawCollector implements RunSink, EventSink {
  names: readonly string[] = [];
  readonly rows: Float64Array[] = [];
  private readonly isKept: (name: string) => boolean;
  /** Indexes of the columns that are kept. */
  private places: readonly number[] = [];

  constructor(isKept: (name: string) => boolean = () => true) {
    this.isKept = isKept;
  }

  open({ drawNames }: RunColumns): EventSink {
    this.places = [...drawNames.keys()].filter((place) => this.isKept(drawNames[place]));
    this.names = this.places.map((place) => drawNames[place]);
    return this;
  }

  /** The values of a column; undefined if no column has that name. */
  column(name: string): Float64Array | undefined {
    const place = this.names.indexOf(name);
    return place < 0 ? undefined : Float64Array.from(this.rows, (row) => row[place]);
  }

  draw(values: Float64Array): void {
    this.rows.push(Float64Array.from(this.places, (place) => values[place]));
  }

  log(): void {}
  progress(): void {}
  iteration(): void {}
  initialization(): void {}
  adaptation(): void {}
  elapsed(): void {}
  remark(): void {}
  diagnostic(): void {}
}

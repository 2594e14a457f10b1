import type { EventSink } from '../events.js';
import type { Failure, Target } from '../target.js';

/** Passes saved draws to the sink: the algorithm's own columns, followed by the target's values. */
export class DrawRecorder {
  /** The algorithm's columns of the next draw, to be filled in before `record`. */
  readonly columns: Float64Array;
  private readonly draw: Float64Array;
  private readonly target: Target;
  private readonly sink: EventSink;

  constructor(columnCount: number, target: Target, sink: EventSink) {
    this.draw = new Float64Array(columnCount + target.drawLength);
    this.columns = this.draw.subarray(0, columnCount);
    this.target = target;
    this.sink = sink;
  }

  /**
   * Emits the draw at a position. A rejection in transformed parameters or generated quantities is logged, and the remaining values are
   * NaN; an error of the program is logged and returned.
   */
  record(position: Float64Array): Failure | undefined {
    const failure = this.target.writeDraw(position, this.draw, this.columns.length);
    // The first column is the log density.
    this.columns[0] += this.target.integration?.excess() ?? 0;
    const printed = this.target.takePrinted();
    if (printed !== '') this.sink.log('info', printed);
    if (failure !== undefined) {
      this.sink.log('info', failure.message);
      if (failure.kind === 'error') return failure;
    }
    this.sink.draw(this.draw);
    return undefined;
  }
}

/** The columns of diagnostics: those of draws, then position, momentum and gradient of the potential. */
export function phaseSpaceColumns(columns: readonly string[], names: readonly string[]): string[] {
  return [...columns, ...names, ...names.map((each) => `p_${each}`), ...names.map((each) => `g_${each}`)];
}

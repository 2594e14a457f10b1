import { Patience } from '../chain/patience.js';
import type { RunColumns, RunProgress, RunSink } from '../chain/request.js';
import type { ChainEnd } from '../chain/sampler-state.js';
import type { Adaptation, EventSink, LogLevel, Progress } from '../inference/events.js';
import type { SentEvent } from './events.js';
import type { PortableRun } from './protocol.js';

/** Milliseconds between two batches. */
const INTERVAL = 50;
/** Maximum number of numbers in a batch. */
const MOST_NUMBERS = 1 << 16;

/** A growing buffer of rows of equal width. */
class RowBuffer {
  count = 0;
  private values = new Float64Array(1024);
  private length = 0;

  add(row: Float64Array): void {
    if (this.length + row.length > this.values.length) {
      const larger = new Float64Array(Math.max(2 * this.values.length, this.length + row.length));
      larger.set(this.values);
      this.values = larger;
    }
    this.values.set(row, this.length);
    this.length += row.length;
    this.count += 1;
  }

  get isFull(): boolean {
    return this.length >= MOST_NUMBERS;
  }

  /** Returns the rows and empties the buffer. */
  take(): { readonly count: number; readonly values: Float64Array<ArrayBuffer> } {
    const taken = { count: this.count, values: this.values.slice(0, this.length) };
    this.count = 0;
    this.length = 0;
    return taken;
  }
}

/** Collects the events of a chain and sends them in batches, several times a second. */
export class BatchSink implements RunSink, EventSink {
  private readonly chain: number;
  private readonly hasDiagnostics: boolean;
  /** Whether an earlier block of the run has sent the start event. */
  private readonly isLater: boolean;
  private readonly post: (events: readonly SentEvent[]) => void;
  private readonly patience = new Patience(INTERVAL);
  /** Log densities of iterations of warmup. */
  private warmup: number[] = [];
  private readonly draws = new RowBuffer();
  private readonly diagnostics = new RowBuffer();
  /** Whether batches end between iterations, with a checkpoint. */
  private hasRests = false;
  private events: SentEvent[] = [];

  constructor({ block, chain, diagnostics }: PortableRun, post: (events: readonly SentEvent[]) => void) {
    this.chain = chain;
    this.isLater = block?.from !== undefined;
    this.hasDiagnostics = diagnostics;
    this.post = post;
  }

  open({ drawNames, diagnosticNames, leadingRows }: RunColumns): EventSink {
    const diagnosticColumns = this.hasDiagnostics ? diagnosticNames : [];
    if (!this.isLater) {
      const columns = { columns: drawNames, diagnosticColumns, ...(leadingRows && { leadingRows }) };
      this.add({ kind: 'start', chain: this.chain, ...columns });
    }
    return this;
  }

  log(level: LogLevel, text: string): void {
    this.add({ kind: 'log', chain: this.chain, level, text });
  }

  progress({ text }: Progress): void {
    this.log('info', text);
  }

  iteration(_iteration: number, _total: number, logDensity?: number): void {
    if (logDensity !== undefined) this.warmup.push(logDensity);
  }

  initialization(position: Float64Array): void {
    this.add({ kind: 'initialization', chain: this.chain, position: position.slice() });
  }

  adaptation({ stepSize, inverseMetric, places, text }: Adaptation): void {
    const learned = { stepSize, inverseMetric: inverseMetric.slice(), ...(places && { places: places.slice() }) };
    this.add({ kind: 'adaptation', chain: this.chain, ...learned, text });
  }

  elapsed(lines: readonly string[]): void {
    for (const line of lines) this.log('info', line);
  }

  remark(text: string): void {
    this.add({ kind: 'remark', chain: this.chain, text });
  }

  draw(values: Float64Array): void {
    this.draws.add(values);
    if (this.draws.isFull && !this.hasRests) this.flush();
  }

  diagnostic(values: Float64Array): void {
    if (!this.hasDiagnostics) return;
    this.diagnostics.add(values);
    if (this.diagnostics.isFull && !this.hasRests) this.flush();
  }

  report(progress: RunProgress): void {
    this.add({ kind: 'progress', chain: this.chain, progress });
  }

  /** Sends the collected events if a batch is due. Call it often. */
  tick(): void {
    if (!this.hasRests && this.patience.isOver()) this.flush();
  }

  /**
   * The same between iterations after warmup. Always sends a batch at the first of them, so that a chain that is ended
   * later can be continued after the draws that were sent.
   */
  rest(end: () => ChainEnd | undefined, names: readonly string[]): void {
    const isDue = this.draws.isFull || this.diagnostics.isFull || this.patience.isOver();
    if (this.hasRests && !isDue) return;
    const found = end();
    if (found !== undefined) this.checkpoint(found, this.hasRests ? undefined : names);
    this.hasRests = found !== undefined;
    this.flush();
  }

  /** The state of the chain after the latest draw. */
  checkpoint(end: ChainEnd, names?: readonly string[]): void {
    this.add({ kind: 'checkpoint', chain: this.chain, end, ...(names && { names }) });
  }

  flush(): void {
    this.patience.begin();
    this.endRows();
    if (this.events.length === 0) return;
    this.post(this.events);
    this.events = [];
  }

  private add(event: SentEvent): void {
    this.endRows();
    this.events.push(event);
  }

  private endRows(): void {
    if (this.warmup.length > 0) {
      this.events.push({ kind: 'warmup', chain: this.chain, logDensities: Float64Array.from(this.warmup) });
      this.warmup = [];
    }
    if (this.draws.count > 0) this.events.push({ kind: 'draws', chain: this.chain, ...this.draws.take() });
    if (this.diagnostics.count > 0) {
      this.events.push({ kind: 'diagnostics', chain: this.chain, ...this.diagnostics.take() });
    }
  }
}

import type { AdaptedSettings, RunColumns, RunProgress } from '../chain/request.js';
import { type SamplerState, stateInTexts } from '../chain/sampler-state.js';
import { elapsedComment } from '../formats/csv.js';
import { countLeadingRows } from '../formats/leading-rows.js';
import { adaptedIn } from './chain-details.js';
import type { RunEvent, SentEvent } from './events.js';
import type { FitChain } from './fit.js';
import type { Comment } from './fit-csv.js';
import type { PortableRun } from './protocol.js';
import { Rows } from './rows.js';

/** The events of a chain so far, from which fits are created. */
export class ChainRecord {
  readonly id: number;
  columns: readonly string[] = [];
  diagnosticColumns: readonly string[] = [];
  draws = new Rows(0);
  diagnostics = new Rows(0);
  /** The latest progress. */
  progress: RunProgress | undefined;
  isOver = false;
  private warmup = 0;
  private leadingRows: RunColumns['leadingRows'];
  private initial: Float64Array | undefined;
  private adapted: AdaptedSettings | undefined;
  private state: SamplerState | undefined;
  private readonly comments: Comment[] = [];
  /** The number of draws that a sampler will return, including saved draws of warmup. */
  private readonly expected: number;

  constructor({ arguments: settings, chain }: PortableRun) {
    this.id = chain;
    this.expected = expectedDraws(settings);
  }

  add(event: SentEvent): void {
    switch (event.kind) {
      case 'start':
        this.columns = event.columns;
        this.diagnosticColumns = event.diagnosticColumns;
        this.leadingRows = event.leadingRows;
        this.draws = new Rows(event.columns.length, this.expected);
        this.diagnostics = new Rows(event.diagnosticColumns.length, this.expected);
        break;
      case 'initialization':
        this.initial = event.position;
        break;
      case 'adaptation':
        this.warmup = this.draws.count;
        this.state = stateOf(event);
        this.comments.push({ before: this.draws.count, event });
        break;
      case 'remark':
        this.comments.push({ before: this.draws.count, event });
        break;
      case 'log':
        if (elapsedComment(event.text) !== '') this.comments.push({ before: this.draws.count, event });
        break;
      case 'progress':
        this.progress = event.progress;
        break;
      case 'draws':
        this.draws.append(event.count, event.values);
        break;
      case 'diagnostics':
        this.diagnostics.append(event.count, event.values);
        break;
      case 'checkpoint': {
        const { end, names = this.state?.names } = event;
        this.state = this.state && { ...this.state, ...(names && { names }), end };
        break;
      }
      case 'end':
        this.isOver = true;
        this.adapted = event.adapted;
        this.state = event.state;
        break;
    }
  }

  snapshot(): FitChain {
    const { comments, diagnostics, draws, id, initial, leadingRows, state } = this;
    const adapted = this.adapted ?? (state && adaptedIn(state, initial?.length ?? 0));
    const warmup = this.warmup + countLeadingRows(leadingRows, draws.count);
    return {
      id,
      warmup,
      draws: draws.count - warmup,
      values: draws.slice(0),
      diagnostics: diagnostics.slice(0),
      initial,
      adapted,
      state,
      comments: [...comments],
    };
  }
}

/** The state of a running sampler, without the names of its parameters. */
function stateOf({
  inverseMetric,
  places,
  stepSize,
  text,
}: Extract<RunEvent, { readonly kind: 'adaptation' }>): SamplerState | undefined {
  const known = stateInTexts(text);
  const state = known && { ...known, stepsize: stepSize, inverseMetric: [...inverseMetric] };
  return state && { ...state, ...(places && { places: [...places] }) };
}

/** The number of saved draws; 0 for functions that are not samplers. Warmup and sampling are thinned separately. */
function expectedDraws({ num_samples, num_thin = 1, num_warmup = 0, save_warmup }: PortableRun['arguments']): number {
  const parts = [num_samples ?? 0, save_warmup === true ? num_warmup : 0];
  return parts.reduce((draws: number, iterations) => draws + Math.ceil(Number(iterations) / Number(num_thin)), 0);
}

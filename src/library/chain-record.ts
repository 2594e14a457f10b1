import { elapsedComment } from '../run/csv.js';
import type { AdaptedSettings } from '../run/request.js';
import type { RunEvent } from './events.js';
import type { FitChain } from './fit.js';
import type { Comment } from './fit-csv.js';
import { Rows } from './rows.js';

/** What a chain has told so far, in a form from which fits are made. */
export class ChainRecord {
  readonly id: number;
  columns: readonly string[] = [];
  diagnosticColumns: readonly string[] = [];
  draws = new Rows(0);
  diagnostics = new Rows(0);
  private warmup = 0;
  private initial: Float64Array | undefined;
  private adapted: AdaptedSettings | undefined;
  private readonly comments: Comment[] = [];

  constructor(id: number) {
    this.id = id;
  }

  add(event: RunEvent): void {
    switch (event.kind) {
      case 'start':
        this.columns = event.columns;
        this.diagnosticColumns = event.diagnosticColumns;
        this.draws = new Rows(event.columns.length);
        this.diagnostics = new Rows(event.diagnosticColumns.length);
        break;
      case 'initialization':
        this.initial = event.position;
        break;
      case 'adaptation':
        this.warmup = this.draws.count;
        this.comments.push({ before: this.draws.count, event });
        break;
      case 'remark':
        this.comments.push({ before: this.draws.count, event });
        break;
      case 'log':
        if (elapsedComment(event.text) !== '') this.comments.push({ before: this.draws.count, event });
        break;
      case 'draws':
        this.draws.append(event.count, event.values);
        break;
      case 'diagnostics':
        this.diagnostics.append(event.count, event.values);
        break;
      case 'end':
        this.adapted = event.adapted;
        break;
    }
  }

  snapshot(): FitChain {
    const { adapted, comments, diagnostics, draws, id, initial, warmup } = this;
    return {
      id,
      warmup,
      draws: draws.count - warmup,
      values: draws.slice(0),
      diagnostics: diagnostics.slice(0),
      initial,
      adapted,
      comments: [...comments],
    };
  }
}

/** Summaries and diagnoses of fits, computed by workers in batches of columns. */
import { Readable } from 'node:stream';
import type { FitContents } from '../../fit-files/reading.js';
import { displayName } from '../../formats/columns.js';
import { writeJson } from '../../formats/json.js';
import type { NonFinite } from '../../formats/numbers.js';
import type { Finiteness } from '../../inference/diagnostics/findings.js';
import { type DiagnosedFit, type DiagnosisSource, diagnose } from '../../run/diagnosis.js';
import { comparableChains, type NamedSummary, quantitiesIn } from '../../run/statistics.js';
import type { DiagnosisResource } from '../schemas/fits.js';
import type { StoppedResource } from '../schemas/operations.js';
import type { DrawRange } from './fit-job.js';
import { KnownSummaries } from './known-summaries.js';
import type { Requests } from './requests.js';
import type { FitSelection } from './selection.js';

/** Maximum number of values in a worker's batch. */
const NUMBERS_AT_ONCE = 1 << 18;
const SUMMARIES_AHEAD = 2;
const MOST_CONCERNS = 100;

/** The draws in a report. */
export interface Reported {
  /** The fit's resource name. */
  readonly name: string;
  readonly contents: FitContents;
  /** Why a run with `until` has stopped. */
  readonly stopped: StoppedResource | undefined;
  readonly selection: FitSelection;
}

/** Computes reports in the threads that read fits. */
export class FitReports {
  private readonly requests: Requests;
  private readonly known = new KnownSummaries();

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /** The body of a summary, streamed while it is computed. */
  summary(reported: Reported, style: NonFinite, release: () => void): Readable {
    return Readable.from(this.summaryText(reported, style), { objectMode: false }).once('close', release);
  }

  private async *summaryText(reported: Reported, style: NonFinite): AsyncGenerator<string> {
    const ranges = rangesOf(reported.selection);
    const { name, stopped } = reported;
    const counts = { chains: ranges.map(({ chain }) => chain), draws: ranges[0]?.count ?? 0 };
    const head = { name, ...counts, ...(stopped && { stopped }) };
    yield `${writeJson(head, style).slice(0, -1)},"variables":[`;
    let separator = '';
    for await (const summaries of this.summariesOf(reported)) {
      const texts = summaries.map((summary) => writeJson(resourceOf(summary), style));
      yield separator + texts.join(',');
      separator = ',';
    }
    yield ']}';
  }

  /** Diagnoses the draws and their sampler. */
  async diagnose(reported: Reported, run: Pick<DiagnosedFit, 'function' | 'maximumDepth'>): Promise<DiagnosisResource> {
    const { contents, name, selection, stopped } = reported;
    const ranges = rangesOf(selection);
    const { path } = contents;
    /** Columns by their names in messages: `theta.7` by `theta[7]`. */
    const columns = new Map<string, string>();
    const named = <Named extends { readonly name: string }>(quantity: Named): Named => {
      const name = displayName(quantity.name);
      columns.set(name, quantity.name);
      return { ...quantity, name };
    };
    const source: DiagnosisSource = {
      reports: async (maximumDepth) => {
        const job = { kind: 'sampler', path, ranges, maximumDepth } as const;
        return (await this.requests.perform("Reading the sampler's reports", job, 'sampler')).reports;
      },
      convergence: async (judged) => {
        const quantities: NamedSummary[] = [];
        for await (const summaries of this.summariesOf(reported, judged)) quantities.push(...summaries.map(named));
        return quantities;
      },
      finiteness: async (places) => {
        const quantities: Finiteness[] = [];
        for (const piece of piecesOf(places, ranges)) {
          const job = { kind: 'count', path, columns: piece, ranges } as const;
          const counted = await this.requests.perform('Reading the generated quantities', job, 'counted');
          quantities.push(...counted.quantities.map(named));
        }
        return quantities;
      },
    };
    const found = await diagnose(
      { ...run, columns: contents.columns, outputs: contents.outputs },
      source,
      selection.columns,
    );
    const listed = found.map((each) => ({
      ...each,
      statements: [...each.statements],
      concerns: each.concerns
        .slice(0, MOST_CONCERNS)
        .map((concern) => ({ ...concern, name: columns.get(concern.name) ?? concern.name })),
    }));
    const ok = found.every((finding) => finding.ok);
    const text = found.map(({ message }) => message).join('\n\n');
    return { name, ok, findings: listed, text, ...(stopped && { stopped }) };
  }

  private async *summariesOf(
    { contents, selection }: Reported,
    columns = selection.columns ?? quantitiesIn(contents.columns),
  ): AsyncGenerator<readonly NamedSummary[]> {
    const ranges = rangesOf(selection);
    const known = this.known.of(contents.path, ranges);
    const summarize = async (piece: readonly number[]) => {
      const missing = piece.filter((place) => !known.has(place));
      if (missing.length > 0) {
        const job = { kind: 'summarize', path: contents.path, columns: missing, ranges } as const;
        const { summaries } = await this.requests.perform('Summarizing the draws', job, 'summaries');
        missing.forEach((place, index) => {
          known.set(place, summaries[index]);
        });
      }
      return piece.flatMap((place) => known.get(place) ?? []);
    };
    const pending: Promise<readonly NamedSummary[]>[] = [];
    for (const piece of piecesOf(columns, ranges)) {
      const next = summarize(piece);
      next.catch(() => undefined);
      pending.push(next);
      if (pending.length > SUMMARIES_AHEAD) yield (await pending.shift()) ?? [];
    }
    for (const next of pending) yield await next;
  }
}

function resourceOf(summary: NamedSummary): Record<string, number | string> {
  return {
    name: summary.name,
    mean: summary.mean,
    mcse_mean: summary.mcseMean,
    sd: summary.sd,
    mcse_sd: summary.mcseSd,
    q5: summary.q05,
    q50: summary.q50,
    q95: summary.q95,
    ess_bulk: summary.essBulk,
    ess_tail: summary.essTail,
    rhat: summary.rhat,
  };
}

/** Columns in batches for workers. */
export function piecesOf(columns: readonly number[], ranges: readonly DrawRange[]): number[][] {
  const numbers = ranges.reduce((sum, { count }) => sum + count, 0);
  const atOnce = Math.max(1, Math.floor(NUMBERS_AT_ONCE / Math.max(1, numbers)));
  return Array.from({ length: Math.ceil(columns.length / atOnce) }, (_, piece) =>
    columns.slice(piece * atOnce, (piece + 1) * atOnce),
  );
}

/** An equal number of draws of each chain with draws: that of the shortest. */
export function rangesOf(selection: FitSelection): DrawRange[] {
  const ranges = selection.chains.map(({ chain, from, to }) => ({ chain, from, draws: Math.max(0, to - from) }));
  const { chains, draws } = comparableChains(ranges);
  return chains.map(({ chain, from }) => ({ chain: chain.id, from, count: draws }));
}

/** Summaries and diagnoses of fits, computed by workers in batches of columns. */
import { Readable } from 'node:stream';
import type { FitContents } from '../../fit-files/contents.js';
import type { DiagnosedFit } from '../../fits/diagnosis.js';
import type { FitStatistics } from '../../fits/fit-statistics.js';
import { comparableChains, type NamedSummary } from '../../fits/statistics.js';
import { displayName, quantitiesIn } from '../../formats/columns.js';
import { writeJson } from '../../formats/json.js';
import type { NonFinite } from '../../formats/numbers.js';
import type { DiagnosisResource } from '../schemas/fits.js';
import type { StoppedResource } from '../schemas/operations.js';
import type { DrawRange } from './fit-job.js';
import { KnownSummaries } from './known-summaries.js';
import type { Requests } from './requests.js';
import type { FitSelection } from './selection.js';
import { storedStatistics } from './stored-statistics.js';

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
    const columns = reported.selection.columns ?? quantitiesIn(reported.contents.columns);
    for await (const summaries of this.statisticsOf(reported).summaries(columns)) {
      const texts = summaries.map((summary) => writeJson(resourceOf(summary), style));
      yield separator + texts.join(',');
      separator = ',';
    }
    yield ']}';
  }

  /** Diagnoses the draws and their sampler. */
  async diagnose(reported: Reported, run: Pick<DiagnosedFit, 'function' | 'maximumDepth'>): Promise<DiagnosisResource> {
    const { contents, name, selection, stopped } = reported;
    const found = await this.statisticsOf(reported).diagnose(run, selection.columns);
    const names = new Map(contents.columns.map((column) => [displayName(column), column]));
    const listed = found.map((each) => ({
      ...each,
      statements: [...each.statements],
      concerns: each.concerns
        .slice(0, MOST_CONCERNS)
        .map((concern) => ({ ...concern, name: names.get(concern.name) ?? concern.name })),
    }));
    const ok = found.every((finding) => finding.ok);
    const text = found.map(({ message }) => message).join('\n\n');
    return { name, ok, findings: listed, text, ...(stopped && { stopped }) };
  }

  private statisticsOf({ contents, selection }: Reported): FitStatistics {
    const ranges = rangesOf(selection);
    const cache = this.known.of(contents.path, ranges);
    return storedStatistics(contents, ranges, this.requests.perform.bind(this.requests), { cache });
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

/** An equal number of draws of each chain with draws: that of the shortest. */
export function rangesOf(selection: FitSelection): DrawRange[] {
  const ranges = selection.chains.map(({ chain, from, to }) => ({ chain, from, draws: Math.max(0, to - from) }));
  const { chains, draws } = comparableChains(ranges);
  return chains.map(({ chain, from }) => ({ chain: chain.id, from, count: draws }));
}

/** What a worker does with finished fits, and with those that are being made. */
import { energyFraction } from '../../inference/diagnostics/energy.js';
import type { SamplerReport } from '../../inference/diagnostics/findings.js';
import { type Summary, summarize } from '../../inference/diagnostics/summary.js';
import type { NonFinite } from '../../messages/numbers.js';
import { RowWriter } from '../../messages/row-writer.js';
import { loadTextKernel } from '../../node/kernels.js';
import { FitReader } from './fit-reader.js';
import { type ListedEntries, type ListJob, listEntries } from './list-job.js';
import { type Followed, type FollowJob, LiveRenderer } from './live-renderer.js';
import type { PieceOfFit } from './parts.js';
import type { FitContents } from './reading.js';
import { Renderer } from './rendering.js';

/** Draws of a chain, from one on and so many, counted from 0 with those of warmup. */
export interface DrawRange {
  readonly chain: number;
  readonly from: number;
  readonly count: number;
}

export interface ContentsJob {
  readonly kind: 'contents';
  readonly path: string;
}

export interface RenderJob {
  readonly kind: 'render';
  readonly piece: PieceOfFit;
  readonly style: NonFinite;
}

/** Summarises some columns over chains, which must have equally many draws. */
export interface SummarizeJob {
  readonly kind: 'summarize';
  readonly path: string;
  readonly columns: readonly number[];
  readonly ranges: readonly DrawRange[];
}

/** Looks at what the sampler reports of its transitions. */
export interface SamplerJob {
  readonly kind: 'sampler';
  readonly path: string;
  readonly ranges: readonly DrawRange[];
  readonly maximumDepth: number | undefined;
}

export type FitJob = ContentsJob | RenderJob | SummarizeJob | SamplerJob | FollowJob | ListJob;

export interface NamedSummary extends Summary {
  readonly name: string;
}

export type FitResult =
  | { readonly kind: 'contents'; readonly contents: FitContents }
  | { readonly kind: 'rendered'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'summaries'; readonly summaries: readonly NamedSummary[] }
  | { readonly kind: 'sampler'; readonly reports: readonly SamplerReport[] }
  | ListedEntries
  | Followed;

/** Does jobs one after the other; what is needed again is kept. */
export class FitJobs {
  private readonly reader = new FitReader();
  private renderer: Renderer | undefined;
  private liveRenderer: LiveRenderer | undefined;

  perform(job: FitJob): FitResult {
    const { reader } = this;
    switch (job.kind) {
      case 'contents':
        return { kind: 'contents', contents: reader.contents(job.path) };
      case 'render':
        this.renderer ??= new Renderer(reader, new RowWriter(loadTextKernel()));
        return { kind: 'rendered', bytes: this.renderer.render(job.piece, job.style) };
      case 'follow':
        this.liveRenderer ??= new LiveRenderer(loadTextKernel());
        return this.liveRenderer.render(job);
      case 'list':
        return listEntries(job);
      case 'summarize':
        return { kind: 'summaries', summaries: summariesOf(reader, job) };
      case 'sampler':
        return { kind: 'sampler', reports: job.ranges.map((range) => samplerReport(reader, job, range)) };
    }
  }
}

const KINDS: ReadonlySet<string> = new Set<FitJob['kind']>([
  'contents',
  'render',
  'follow',
  'summarize',
  'sampler',
  'list',
]);

export function isFitJob<Other extends { readonly kind: string }>(job: FitJob | Other): job is FitJob {
  return KINDS.has(job.kind);
}

function summariesOf(reader: FitReader, { path, columns, ranges }: SummarizeJob): NamedSummary[] {
  const names = reader.contents(path).columns;
  const draws = ranges.map((range) => reader.columns(path, range.chain, 'draws.arrow', range, columns));
  return columns.map((column, k) => {
    const chains = draws.map((values, index) => {
      const { count } = ranges[index];
      return values.subarray(k * count, (k + 1) * count);
    });
    return { name: names[column], ...summarize(chains) };
  });
}

function samplerReport(reader: FitReader, { path, maximumDepth }: SamplerJob, range: DrawRange): SamplerReport {
  const names = reader.contents(path).columns;
  const read = (name: string): Float64Array | undefined => {
    const column = names.indexOf(name);
    return column < 0 ? undefined : reader.columns(path, range.chain, 'draws.arrow', range, [column]);
  };
  const divergent = read('divergent__');
  const depths = maximumDepth === undefined ? undefined : read('treedepth__');
  const energy = read('energy__');
  return {
    chain: range.chain,
    draws: range.count,
    ...(divergent && { divergences: divergent.filter((value) => value > 0).length }),
    ...(depths && { treedepthHits: depths.filter((depth) => depth >= (maximumDepth ?? 0)).length }),
    ...(energy && { energyFraction: energyFraction(energy) }),
  };
}

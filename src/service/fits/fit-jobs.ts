/** What a worker does with finished fits, and with those that are being made. */
import { energyFraction } from '../../inference/diagnostics/energy.js';
import type { SamplerReport } from '../../inference/diagnostics/findings.js';
import { summarize } from '../../inference/diagnostics/summary.js';
import { RowWriter } from '../../messages/row-writer.js';
import { loadTextKernel } from '../../node/kernels.js';
import type { DrawRange, FitJob, FitResult, NamedSummary, SamplerJob, SummarizeJob } from './fit-job.js';
import { FitReader } from './fit-reader.js';
import { listRecords } from './list-job.js';
import { LiveRenderer } from './live-renderer.js';
import { Renderer } from './rendering.js';

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
        return listRecords(job);
      case 'summarize':
        return { kind: 'summaries', summaries: summariesOf(reader, job) };
      case 'sampler':
        return { kind: 'sampler', reports: job.ranges.map((range) => samplerReport(reader, job, range)) };
    }
  }
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

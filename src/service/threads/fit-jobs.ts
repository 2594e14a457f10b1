/** Performs the jobs of a worker on finished and running fits. */

import { FitReader } from '../../fit-files/fit-reader.js';
import { verifyFit } from '../../fit-files/reading.js';
import { Renderer } from '../../fit-files/rendering.js';
import { leaveOut } from '../../fits/cross-validation.js';
import { predictionsIn } from '../../fits/predictions.js';
import { predict } from '../../fits/predictive.js';
import { convergenceOf, finitenessOf, type NamedDraws, samplerReport, summariesOf } from '../../fits/statistics.js';
import { RowWriter } from '../../formats/row-writer.js';
import type { SamplerReport } from '../../inference/diagnostics/findings.js';
import { loadTextKernel } from '../../node/kernels.js';
import { calibrationOf } from '../../studies/calibration.js';
import { refitsOf } from '../../studies/refit-results.js';
import type { ColumnsJob, DrawRange, FitJob, FitResult, SamplerJob } from './fit-job.js';
import { listRecords } from './list-job.js';
import { LiveRenderer } from './live-renderer.js';

/** Runs jobs one at a time. Caches data for later jobs. */
export class FitJobs {
  private readonly reader = new FitReader();
  private renderer: Renderer | undefined;
  private liveRenderer: LiveRenderer | undefined;

  perform(job: FitJob): FitResult {
    const { reader } = this;
    switch (job.kind) {
      case 'contents':
        return { kind: 'contents', contents: reader.open(job.path) };
      case 'verify':
        verifyFit(job.path);
        return { kind: 'verified' };
      case 'calibration':
        return { kind: 'calibrated', calibration: calibrationOf(allDraws(reader, job.path)) };
      case 'refits':
        return { kind: 'refitted', refits: refitsOf(allDraws(reader, job.path)) };
      case 'render':
        this.renderer ??= new Renderer(reader, new RowWriter(loadTextKernel()));
        return { kind: 'rendered', bytes: this.renderer.render(job.piece, job.style) };
      case 'follow':
        this.liveRenderer ??= new LiveRenderer(loadTextKernel());
        return this.liveRenderer.render(job);
      case 'list':
        return listRecords(job);
      case 'summarize':
        return { kind: 'summaries', summaries: summariesOf(namedDraws(reader, job)) };
      case 'judge':
        return { kind: 'judged', quantities: convergenceOf(namedDraws(reader, job)) };
      case 'count':
        return { kind: 'counted', quantities: finitenessOf(namedDraws(reader, job)) };
      case 'leave out':
        return { kind: 'left out', ...leaveOut(namedDraws(reader, job)) };
      case 'predict':
        return { kind: 'predicted', ...predict(namedDraws(reader, job), job.observed) };
      case 'pair':
        return { kind: 'paired', predictions: predictionsIn(job.data, reader.contents(job.path).columns) };
      case 'sampler':
        return { kind: 'sampler', reports: job.ranges.map((range) => reportOf(reader, job, range)) };
    }
  }
}

function allDraws(reader: FitReader, path: string): NamedDraws[] {
  const { chains, columns } = reader.contents(path);
  const ranges = chains.map(({ id, draws }) => ({ chain: id, from: 0, count: draws }));
  return namedDraws(reader, { path, columns: [...columns.keys()], ranges });
}

function namedDraws(reader: FitReader, { path, columns, ranges }: Omit<ColumnsJob, 'kind'>): NamedDraws[] {
  const names = reader.contents(path).columns;
  const draws = ranges.map((range) => reader.columns(path, range.chain, 'draws.arrow', range, columns));
  const chainsOf = (k: number) =>
    draws.map((values, index) => values.subarray(k * ranges[index].count, (k + 1) * ranges[index].count));
  return columns.map((column, k) => ({ name: names[column], chains: chainsOf(k) }));
}

function reportOf(reader: FitReader, { path, maximumDepth }: SamplerJob, range: DrawRange): SamplerReport {
  const names = reader.contents(path).columns;
  const read = (name: string): Float64Array | undefined => {
    const column = names.indexOf(name);
    return column < 0 ? undefined : reader.columns(path, range.chain, 'draws.arrow', range, [column]);
  };
  return samplerReport({ id: range.chain, draws: range.count, read }, maximumDepth);
}

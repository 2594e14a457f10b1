import { expose } from 'comlink';
import type { Chains } from '#engine/inference/diagnostics/chains.js';
import { type Convergence, type Finding, findings } from '#engine/inference/diagnostics/findings.js';
import { samplerReport } from '#engine/inference/diagnostics/sampler-report.js';
import { type Summary, summarize } from '#engine/inference/diagnostics/summary.js';

/** What a sampler reports of its transitions, column by column, each with an array a chain; none where it reports nothing of the kind. */
export interface SamplerColumns {
  readonly chainIds: readonly number[];
  readonly draws: number;
  readonly columns: Readonly<Record<string, Chains>>;
  readonly maximumDepth: number | undefined;
}

const statistics = {
  summarize: (quantities: readonly Chains[]): Summary[] => quantities.map(summarize),

  judge({ chainIds, draws, columns, maximumDepth }: SamplerColumns, quantities: readonly Convergence[]): Finding[] {
    const reports = chainIds.map((id, index) =>
      samplerReport(id, draws, maximumDepth, (name) =>
        name in columns ? Float64Array.from(columns[name][index]) : undefined,
      ),
    );
    return findings(reports, quantities, maximumDepth);
  },
};

export type Statistics = typeof statistics;

expose(statistics);

import { expose } from 'comlink';
import type { Chains } from '#engine/inference/diagnostics/chains.js';
import { type Convergence, type Finding, findings } from '#engine/inference/diagnostics/findings.js';
import { type NamedDraws, type NamedSummary, samplerReport, summariesOf } from '#engine/run/statistics.js';

/** What a sampler reports of its transitions, column by column, each with an array a chain; none where it reports nothing of the kind. */
export interface SamplerColumns {
  readonly chainIds: readonly number[];
  readonly draws: number;
  readonly columns: Readonly<Record<string, Chains>>;
  readonly maximumDepth: number | undefined;
}

const statistics = {
  summarize: (columns: readonly NamedDraws[]): NamedSummary[] => summariesOf(columns),

  judge({ chainIds, draws, columns, maximumDepth }: SamplerColumns, quantities: readonly Convergence[]): Finding[] {
    const reports = chainIds.map((id, index) => {
      const read = (name: string) => (name in columns ? Float64Array.from(columns[name][index]) : undefined);
      return samplerReport({ id, draws, read }, maximumDepth);
    });
    return findings(reports, quantities, maximumDepth);
  },
};

export type Statistics = typeof statistics;

expose(statistics);

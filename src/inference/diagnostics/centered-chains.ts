import type { Autocovariances } from './geyer.js';
import { variance } from './moments.js';
import type { Workspace } from './statistics-kernel.js';

/** Number of lags whose autocovariances the kernel computes in one pass. */
const LAGS_AT_ONCE = 8;

/** Concatenated chains of the same length, each minus its mean. Memory is reused for further chains. */
export class CenteredChains implements Autocovariances {
  readonly length: number;
  private readonly workspace: Workspace;
  private readonly chains: number;
  private readonly values: number;
  private readonly meansAt: number;
  /** Autocovariances by lag; only the first `known` have been computed. */
  private readonly covariances: number;
  private known = 0;

  constructor(workspace: Workspace, chains: number, length: number) {
    this.workspace = workspace;
    this.chains = chains;
    this.length = length;
    this.values = workspace.allocate(8 * chains * length);
    this.meansAt = workspace.allocate(8 * chains);
    this.covariances = workspace.allocate(8 * (length + LAGS_AT_ONCE));
  }

  get means(): Float64Array {
    return this.workspace.doubles(this.meansAt, this.chains);
  }

  /** Loads chains. Returns false if a draw is not finite or all draws are equal, as in the R package posterior. */
  take(draws: number): boolean {
    const { chains, length, meansAt, values, workspace } = this;
    this.known = 0;
    return workspace.kernel.center(draws, chains, length, meansAt, values) !== 0;
  }

  /** R-hat without rank normalization, from the variances between and within the chains; `means` replaces those of the chains. */
  rhat(means = this.means): number {
    const { chains, length, values, workspace } = this;
    const between = length * variance(means);
    const within = workspace.kernel.variances(values, chains, length);
    return Math.sqrt((between / (within / chains) + length - 1) / length);
  }

  covariance(lag: number): number {
    const { chains, covariances, length, values, workspace } = this;
    for (; lag >= this.known; this.known += LAGS_AT_ONCE) {
      workspace.kernel.autocovariances(values, chains, length, this.known, covariances + 8 * this.known);
    }
    return workspace.doubles(covariances + 8 * lag, 1)[0];
  }
}

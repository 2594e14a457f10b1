import type { MemoryDraws } from '../chain/memory-draws.js';
import type { AdaptedSettings } from '../chain/request.js';
import type { SamplerState } from '../chain/sampler-state.js';
import { LOG_LIKELIHOOD } from '../derive/derived-names.js';
import type { BlockDraws } from '../fits/block-decision.js';
import { namedOutcomes } from '../fits/comparison.js';
import { derivedPlaces, type LeaveOneOut } from '../fits/cross-validation.js';
import { FitStatistics, type LeavingOutOptions } from '../fits/fit-statistics.js';
import type { Prediction } from '../fits/predictions.js';
import {
  type LeftOutTransforms,
  type ObservationColumns,
  observationColumns,
  transformsOf,
} from '../fits/predictive-places.js';
import {
  comparableChains,
  finitenessOf,
  type NamedDraws,
  type NamedSummary,
  samplerReport,
} from '../fits/statistics.js';
import { displayName, placesOf, quantitiesIn, splitNames } from '../formats/columns.js';
import type { DeclaredOutput } from '../formats/program-blocks.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import type { Finding, SamplerReport } from '../inference/diagnostics/findings.js';
import type { Stopped, Until } from '../requests/until.js';
import { RequestError } from './errors.js';
import { type Comment, csvText } from './fit-csv.js';
import type { Threads } from './threads.js';

/** The request of a run, with all defaults. */
export interface Asked {
  /** Full name, `stan::services::…`. */
  readonly function: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly random_seed: number;
  /** Time of the request, in ISO 8601. */
  readonly created: string;
  /** The rule for stopping. `block` is the number of iterations between two checks. */
  readonly until?: Until & { readonly block: number };
}

/** A chain of a fit. */
export interface FitChain {
  readonly id: number;
  /**
   * Number of rows before the draws: saved draws of warmup, the mean of a variational approximation, or the iterations
   * of an optimizer before the last one.
   */
  readonly warmup: number;
  /** Number of draws after these rows. */
  readonly draws: number;
  /** All rows, including those before the draws, with `columns.length` numbers each. */
  readonly values: Float64Array;
  /** Diagnostics, one row per draw of a sampler, with `diagnosticColumns.length` numbers each. */
  readonly diagnostics: Float64Array;
  /** The accepted initial point, unconstrained; undefined for functions without an initial point. */
  readonly initial: Float64Array | undefined;
  /** A sampler's step size and metric after warmup, in the form of its arguments. */
  readonly adapted: AdaptedSettings | undefined;
  /** The state of the sampler with the names of the parameters, for a warm start. */
  readonly state?: SamplerState | undefined;
  /** Comments of a sampler among the draws. */
  readonly comments: readonly Comment[];
}

/** The origin of a fit. */
export interface Origin {
  /** The name of the program. */
  readonly program: string;
  readonly asked: Asked;
  /** What the program declares. */
  readonly outputs: readonly DeclaredOutput[];
  /** Why a run in blocks stopped. */
  readonly stopped?: Stopped;
}

/** The contents of a fit. They survive structured cloning. */
export interface FitContents extends Origin {
  readonly columns: readonly string[];
  readonly diagnosticColumns: readonly string[];
  readonly chains: readonly FitChain[];
}

export interface SummaryOptions {
  /** Variables or elements, such as `theta` or `theta[1]`; all by default. */
  readonly variables?: readonly string[];
}

export interface LooOptions extends LeavingOutOptions {
  /**
   * The variable with the log likelihood of each observation; by default `log_lik` or the result of
   * `Model.logLikelihood`.
   */
  readonly variable?: string;
}

/** Maximum number of concurrent batches. */
const BATCHES_AT_ONCE = 4;

/** Draws of a run, complete or so far. A fit is immutable. */
export class Fit {
  readonly asked: Asked;
  /** Names of a draw's numbers: those of the function, then those of the model. `theta.2` is element 2 of `theta`. */
  readonly columns: readonly string[];
  readonly diagnosticColumns: readonly string[];
  /** Chains in the order of their ids. */
  readonly chains: readonly FitChain[];

  private readonly origin: Origin;
  private readonly threads: Threads;
  private readonly statistics: FitStatistics;

  constructor(contents: FitContents, threads: Threads) {
    const { asked, chains, columns, diagnosticColumns, outputs, program, stopped } = contents;
    this.origin = { asked, outputs, program, ...(stopped && { stopped }) };
    this.threads = threads;
    this.asked = asked;
    this.columns = columns;
    this.diagnosticColumns = diagnosticColumns;
    this.chains = chains;
    this.statistics = new FitStatistics(
      { columns, outputs, draws: this.fewestDraws * this.drawn.length },
      {
        summarize: async (places) =>
          (await threads.perform({ kind: 'summarize', columns: this.namedDraws(places) }, 'summarized')).summaries,
        count: async (places) => finitenessOf(this.namedDraws(places)),
        leaveOut: (places) => threads.perform({ kind: 'leave out', columns: this.namedDraws(places) }, 'left out'),
        reports: async (maximumDepth) => this.reports(maximumDepth),
      },
      { cache: new Map(), atOnce: BATCHES_AT_ONCE },
    );
  }

  /** The contents of the fit, for storage. `openFit` restores a fit from them. */
  contents(): FitContents {
    const { chains, columns, diagnosticColumns, origin } = this;
    return { ...origin, columns, diagnosticColumns, chains: chains.map(alone) };
  }

  /** Why a run with `until` has stopped; undefined for other runs and for aborted ones. */
  get stopped(): Stopped | undefined {
    return this.origin.stopped;
  }

  /** Number of draws after warmup in the shortest chain, of the chains that have any. */
  get draws(): number {
    return this.chains.length === 0 ? 0 : this.fewestDraws;
  }

  /** The draws after warmup of each chain, of the column with this name, `theta[2]` or `theta.2`. */
  column(name: string): Float64Array[] {
    const [place, ...others] = this.places(name);
    if (others.length > 0) throw new RequestError([{ field: name, message: 'is a container: name one element' }]);
    return this.columnAt(place);
  }

  /** The indexes in `columns` of the columns of a variable or an element. Throws `RequestError` for an unknown name. */
  places(name: string): number[] {
    const found = splitNames(name).flatMap((each) => placesOf(each, this.columns));
    if (found.length === 0) throw new RequestError([{ field: name, message: 'is not among the draws' }]);
    return found;
  }

  /** The draws after warmup of each chain, of the column with this index in `columns`. */
  columnAt(place: number): Float64Array[] {
    return this.chains.map((chain) => this.columnOf(chain, place));
  }

  /**
   * A summary of each quantity of the posterior: mean, standard deviation, their Monte Carlo errors, quantiles,
   * effective sample sizes and R-hat. Chains without draws do not count, and the others are truncated to the shortest.
   * Runs on a thread.
   */
  async summary({ variables }: SummaryOptions = {}): Promise<readonly NamedSummary[]> {
    const places =
      variables === undefined ? quantitiesIn(this.columns) : variables.flatMap((name) => this.places(name));
    return this.statistics.summarize(places);
  }

  /** The draws for a rule that decides whether the run continues. */
  blockDraws(): BlockDraws {
    return this.statistics;
  }

  /** Whether the draws of a sampler are reliable, with advice on problems. */
  async diagnose(): Promise<readonly Finding[]> {
    const { max_depth } = this.asked.arguments;
    const maximumDepth = typeof max_depth === 'number' ? max_depth : undefined;
    return this.statistics.diagnose({ function: this.asked.function, maximumDepth });
  }

  private reports(maximumDepth: number): readonly SamplerReport[] {
    const fewest = this.fewestDraws;
    return this.drawn.map((chain) => {
      const read = (name: string) => {
        const place = this.columns.indexOf(name);
        return place < 0 ? undefined : this.columnOf(chain, place).subarray(0, fewest);
      };
      return samplerReport({ id: chain.id, draws: fewest, read }, maximumDepth);
    });
  }

  /**
   * Leave-one-out cross-validation by Pareto-smoothed importance sampling, as in the R package loo: estimates the
   * accuracy of predictions of each observation from all others. `variable` contains the log likelihood of each
   * observation, by default `log_lik`; `Model.loo` does not require this variable. Runs on a thread. Rejects with
   * `RequestError` if the variable is missing or not finite.
   */
  async loo({ variable = LOG_LIKELIHOOD, ...options }: LooOptions = {}): Promise<LeaveOneOut> {
    const derived = variable === LOG_LIKELIHOOD ? derivedPlaces(this.columns) : [];
    const places = derived.length > 0 ? derived : this.places(variable).map((place) => [place]);
    const loo = await this.statistics.leaveOut(places, { ...options, field: variable });
    const { observations } = loo;
    if (observations.length === 0) throw new RequestError([{ field: variable, message: 'has no observations' }]);
    return derived.length > 0 ? { ...loo, observed: namedOutcomes(observations) } : loo;
  }

  /**
   * Leave-one-out probability integral transforms: the position of each observation in its predictive distribution
   * given all others, and quantiles of this distribution, for plots as in the R package bayesplot. This fit contains log likelihoods, `log_lik` or those of
   * `Model.logLikelihood`. `simulated`, by default this fit, contains the simulations that `prediction` names, for the
   * same draws. Runs on a thread. Undefined if log likelihoods and simulations do not correspond one to one.
   */
  async looPit(prediction: Prediction, simulated: Fit = this): Promise<LeftOutTransforms | undefined> {
    const isOutcome = ({ mark }: ObservationColumns) => mark === undefined || this.column(mark)[0]?.[0] !== 0;
    const observations = observationColumns(this.columns, prediction).filter(isOutcome);
    if (observations.length === 0 || simulated.fewestDraws !== this.fewestDraws) return undefined;
    const drawsOf = (fit: Fit, names: readonly string[]) => fit.namedDraws(names.map((n) => fit.columns.indexOf(n)));
    const places = await this.statistics.collect(observations, async (batch) => {
      const names = batch.map(({ logLikelihood }) => logLikelihood);
      const values = batch.map((each) => each.simulated);
      const draws = { logLikelihoods: drawsOf(this, names), simulated: drawsOf(simulated, values) };
      return (await this.threads.perform({ kind: 'place', observations: batch, ...draws }, 'placed')).places;
    });
    return transformsOf(places);
  }

  private columnOf(chain: FitChain, place: number): Float64Array {
    const [column] = this.columnsOf(chain, [place], chain.draws);
    return column;
  }

  /** The chains that statistics use: those with draws after warmup, or all if no chain has any. */
  private get drawn(): readonly FitChain[] {
    return comparableChains(this.chains).chains;
  }

  private get fewestDraws(): number {
    return comparableChains(this.chains).draws;
  }

  /** The draws of each chain, truncated to the shortest. */
  private namedDraws(places: readonly number[]): readonly NamedDraws[] {
    const chains = this.drawn.map((chain) => this.columnsOf(chain, places, this.fewestDraws));
    return places.map((place, index) => ({
      name: displayName(this.columns[place]),
      chains: chains.map((columns) => columns[index]),
    }));
  }

  /** Row by row, because the elements of a column are far apart in memory if a fit has many columns. */
  private columnsOf({ values, warmup }: FitChain, places: readonly number[], draws: number): readonly Float64Array[] {
    const width = this.columns.length;
    const columns = places.map(() => new Float64Array(draws));
    for (let row = 0; row < draws; row++) {
      const start = (warmup + row) * width;
      for (let index = 0; index < places.length; index++) columns[index][row] = values[start + places[index]];
    }
    return columns;
  }

  /**
   * A chain as a CSV file in CmdStan's format, with its configuration and adaptation as comments, for other Stan tools.
   * With `significantDigits` 17, the default, numbers have the fewest digits that round-trip.
   */
  csv(chain: number, { significantDigits = 17 }: { readonly significantDigits?: number } = {}): string {
    const found = this.chains.find(({ id }) => id === chain);
    if (found === undefined) throw new RequestError([{ field: 'chain', message: `there is no chain ${chain}` }]);
    const { arguments: settings, created, function: name, random_seed: seed } = this.asked;
    const record = { function: name, arguments: { ...settings, chain }, seed, created };
    const head = { record, program: this.origin.program, chain, chains: this.chains.length };
    const { comments, values } = found;
    return csvText(head, { columns: this.columns, outputs: this.origin.outputs, comments, values }, significantDigits);
  }

  /**
   * Evenly spaced draws after warmup, at most `most` in total but at least one of each chain; this fit if it has no more.
   */
  thin(most: number): Fit {
    const { columns, diagnosticColumns, drawn, fewestDraws, origin } = this;
    const kept = Math.max(1, Math.floor(most / drawn.length));
    if (kept >= fewestDraws) return this;
    const chains = drawn.map((chain): FitChain => {
      const rows = Array.from(
        { length: kept },
        (_, index) => chain.warmup + Math.floor(((index + 1) * fewestDraws) / kept) - 1,
      );
      const ofRows = (values: Float64Array, width: number) => {
        const made = new Float64Array(kept * width);
        for (const [to, from] of rows.entries())
          made.set(values.subarray(from * width, (from + 1) * width), to * width);
        return made;
      };
      return {
        ...chain,
        warmup: 0,
        draws: kept,
        values: ofRows(chain.values, columns.length),
        diagnostics: ofRows(chain.diagnostics, diagnosticColumns.length),
        comments: [],
      };
    });
    return new Fit({ ...origin, columns, diagnosticColumns, chains }, this.threads);
  }

  /** The draws after warmup of each chain, row by row, truncated to the shortest. */
  rows(): { readonly columns: readonly string[]; readonly chains: readonly Float64Array[] } {
    const { columns, fewestDraws } = this;
    const width = columns.length;
    const chains = this.drawn.map(({ values, warmup }) => values.slice(warmup * width, (warmup + fewestDraws) * width));
    return { columns, chains };
  }

  /** The draws after warmup as inputs of another run. */
  memoryDraws(): MemoryDraws {
    const { columns, diagnosticColumns } = this;
    const isMany = this.chains.length > 1;
    return {
      columns,
      diagnosticColumns: this.chains.some(({ diagnostics }) => diagnostics.length > 0) ? diagnosticColumns : [],
      chains: this.chains.map(({ diagnostics, draws, id, state, values, warmup }) => {
        const hasDiagnostics =
          diagnostics.length > 0 && diagnostics.length === (warmup + draws) * diagnosticColumns.length;
        return {
          id,
          chain: isMany ? id : undefined,
          draws,
          values: values.slice(warmup * columns.length),
          diagnostics: hasDiagnostics ? diagnostics.slice(warmup * diagnosticColumns.length) : undefined,
          ...(state !== undefined && { state }),
        };
      }),
    };
  }
}

/** A chain whose numbers have their own buffers: cloning a view of a larger buffer would clone all of it. */
function alone(chain: FitChain): FitChain {
  const { diagnostics, values } = chain;
  return { ...chain, values: trimmed(values), diagnostics: trimmed(diagnostics) };
}

function trimmed(values: Float64Array): Float64Array {
  return values.byteLength === values.buffer.byteLength ? values : values.slice();
}

/** The log evidence of a program, from draws of its posterior. */

import { named, type Statement, write } from '../base/statement.js';
import type { Compiler, ProgramSource } from '../chain/compiler.js';
import type { MemoryLimits, ModelHost } from '../chain/model-host.js';
import { Misfit } from '../chain/refusal.js';
import { roundingOf } from '../chain/rounding.js';
import { densityAt, positionsOf } from '../chain/unconstrained-draws.js';
import { type UnnormalizedPrior, unnormalizedPriors } from '../derive/unnormalized-priors.js';
import type { ObservedVariable } from '../fits/observed-variables.js';
import { displayName } from '../formats/columns.js';
import { parseStanData } from '../formats/stan-json.js';
import { pool } from '../inference/diagnostics/chains.js';
import { GREATEST_RHAT, LEAST_ESS_PER_CHAIN } from '../inference/diagnostics/limits.js';
import { standardDeviation } from '../inference/diagnostics/moments.js';
import { judge } from '../inference/diagnostics/summary.js';
import { listed, rounded } from '../inference/diagnostics/words.js';
import { type EvidenceDraws, type EvidenceEstimate, estimateEvidence } from '../inference/evidence/log-evidence.js';
import { createRng } from '../inference/random/random-stream.js';
import { EVIDENCE_SENTENCES } from './evidence-sentences.js';
import { observedIn } from './observed-outcomes.js';

export interface EvidenceRequest {
  readonly source: ProgramSource;
  /** In Stan's JSON format. */
  readonly data: string;
  /** Names of the numbers of a draw; only parameters and `lp__` are used. */
  readonly columns: readonly string[];
  /** Row-major draws of each chain. All chains must have the same number of draws. */
  readonly chains: readonly Float64Array[];
  /** Seed of the draws of the proposals. */
  readonly seed: number;
}

export interface LogEvidence {
  /** The logarithm of the density of the data, averaged over the prior. */
  readonly logEvidence: number;
  /** Monte Carlo standard error of `logEvidence`. */
  readonly standardError: number;
  /** Number of draws of the posterior. */
  readonly draws: number;
  /** Outcomes of the program with their values in the data. */
  readonly observed: readonly ObservedVariable[];
  /** Whether no check has found a problem. */
  readonly ok: boolean;
  /** The results of the checks as text, with advice. */
  readonly message: string;
  /** The sentences of the message. */
  readonly statements: readonly Statement[];
}

type EvidenceStatement = Statement<keyof typeof EVIDENCE_SENTENCES>;

const KEPT = { propto: false, jacobian: true };
/** Columns of draws from approximations. */
const APPROXIMATIONS = ['log_q__', 'log_g__', 'lp_approx__'];
/** Maximum difference of the two estimates in standard errors of the difference. */
const MOST_ERRORS = 4;
const GREATEST_ERROR = 0.3;
/**
 * Errors of the log density whose standard deviation is s, from rounded positions, bias the log evidence by about s²/2. Above the first limit
 * there is a warning, and above the second no estimate.
 */
const GREATEST_SPREAD = { reported: 0.1, refused: 1 };
/** Relative rounding errors below which `lp__` differs only if program or data differ. */
const NEGLIGIBLE_ROUNDING = 1e-9;

/**
 * Estimates the log evidence of a program by bridge sampling. The result depends only on the draws and the seed. Throws `Misfit` if the draws
 * are not from the posterior of the program, and errors of the host.
 */
export function logEvidenceOf(
  compiler: Compiler,
  host: ModelHost,
  { chains, columns, data, seed, source }: EvidenceRequest,
  limits: MemoryLimits,
): LogEvidence {
  if (columns.some((name) => APPROXIMATIONS.includes(name))) {
    throw new Misfit('the draws are from an approximation; a log evidence requires draws from a sampler');
  }
  const compilation = compiler.compile(source);
  if (!compilation.compiled) throw new Misfit(compilation.text);
  const compiled = { artifact: compilation.artifact, module: new WebAssembly.Module(new Uint8Array(compilation.wasm)) };
  const model = host.instantiate(compiled, parseStanData(data), { seed: 1, print: () => undefined, ...limits });
  if (model.dimension === 0) throw new Misfit('the program has no parameters');
  const target = { logDensity: (position: Float64Array) => finite(densityAt(host, model, position, KEPT)) };
  const drawn = chains.map((rows): EvidenceDraws => {
    const positions = positionsOf(host, model, columns, rows);
    return { positions, logDensities: Float64Array.from(positions, target.logDensity) };
  });
  const spread = spreadOf(drawn, columns, chains);
  const found = estimateEvidence(target, drawn, [createRng(seed, 1), createRng(seed, 2)]);
  if (found === 'few draws') {
    throw new Misfit(
      `half of the draws do not determine the covariance matrix of ${model.dimension} unconstrained parameters: draw more samples`,
    );
  }
  if (found === 'no overlap') {
    throw new Misfit(
      'bridge sampling does not converge, because the posterior hardly overlaps with a normal distribution of the same moments: reparameterize the model',
    );
  }
  const statements = [
    ...priorStatements(source),
    ...convergence(drawn, model.unconstrainedNames()),
    ...accuracy(found),
    ...(spread > GREATEST_SPREAD.reported
      ? [{ key: 'evidenceRounded', values: { spread: rounded(spread) } } as const]
      : []),
  ];
  const said: readonly EvidenceStatement[] = statements.length > 0 ? statements : [{ key: 'evidenceGood', values: {} }];
  return {
    logEvidence: found.logEvidence,
    standardError: found.standardError,
    draws: drawn.reduce((sum, { positions }) => sum + positions.length, 0),
    observed: observedIn({ source, data, count: -1 }),
    ok: statements.length === 0,
    message: write(EVIDENCE_SENTENCES, said),
    statements: said,
  };
}

const PRIOR_KEYS = { improper: 'evidenceImproper', flat: 'evidenceFlat', cut: 'evidenceCut' } as const;

function priorStatements({ includes, name = 'string', program }: ProgramSource): EvidenceStatement[] {
  const found = unnormalizedPriors({ name, text: program, includes });
  const problems: readonly UnnormalizedPrior['problem'][] = ['improper', 'flat', 'cut'];
  return problems.flatMap((problem) => {
    const names = found.filter((each) => each.problem === problem).map((each) => each.name);
    return names.length > 0 ? [{ key: PRIOR_KEYS[problem], values: named(names) }] : [];
  });
}

function finite(logDensity: number): number {
  return Number.isNaN(logDensity) ? Number.NEGATIVE_INFINITY : logDensity;
}

/**
 * The standard deviation of the differences between the log density of the draws and their `lp__`, beyond the rounding of `lp__`; 0 if the
 * draws have no `lp__`. Throws `Misfit` if the draws are not from the posterior.
 */
function spreadOf(
  drawn: readonly EvidenceDraws[],
  columns: readonly string[],
  chains: readonly Float64Array[],
): number {
  const densities = pool(drawn.map(({ logDensities }) => logDensities));
  const outside = densities.filter((value) => !Number.isFinite(value)).length;
  if (outside > 0) throw new Misfit(`the density of ${outside} draws is 0 or infinite. ${OTHER_POSTERIOR}`);
  const place = columns.indexOf('lp__');
  if (place < 0) return 0;
  const width = columns.length;
  const recorded = pool(
    chains.map((rows) => Float64Array.from({ length: rows.length / width }, (_, row) => rows[row * width + place])),
  );
  const rounding = roundingOf(recorded);
  const size = recorded.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const spread = standardDeviation(densities.map((value, draw) => value - recorded[draw])) - rounding * size;
  const limit = rounding < NEGLIGIBLE_ROUNDING ? GREATEST_SPREAD.reported : GREATEST_SPREAD.refused;
  if (!(spread > limit)) return Math.max(spread, 0);
  throw new Misfit(
    `the log density of the program differs from lp__ of the draws by amounts with a standard deviation of ${rounded(spread)}. ${OTHER_POSTERIOR}`,
  );
}

const OTHER_POSTERIOR = 'The draws are from another program or other data, or their numbers have too few digits';

function convergence(drawn: readonly EvidenceDraws[], names: readonly string[]): EvidenceStatement[] {
  const judged = names.map((name, k) => ({
    name: displayName(name),
    ...judge(drawn.map(({ positions }) => Float64Array.from(positions, (position) => position[k]))),
  }));
  const limit = LEAST_ESS_PER_CHAIN * drawn.length;
  const apart = judged.filter(({ rhat }) => !(rhat <= GREATEST_RHAT)).sort((a, b) => b.rhat - a.rhat);
  const few = judged.filter(({ essBulk }) => !(essBulk >= limit)).sort((a, b) => a.essBulk - b.essBulk);
  const list = (of: typeof judged, value: (each: (typeof judged)[number]) => number, bound: number) => ({
    limit: bound,
    ...listed(
      of.map((each) => ({ name: each.name, value: value(each) })),
      bound,
    ),
  });
  return [
    ...(apart.length > 0
      ? [{ key: 'evidenceRhat', values: list(apart, ({ rhat }) => rhat, GREATEST_RHAT) } as const]
      : []),
    ...(few.length > 0 ? [{ key: 'evidenceEss', values: list(few, ({ essBulk }) => essBulk, limit) } as const] : []),
  ];
}

function accuracy({ differenceError, halves, standardError }: EvidenceEstimate): EvidenceStatement[] {
  const [first, second] = halves;
  const isApart = Math.abs(first - second) > MOST_ERRORS * differenceError;
  return [
    ...(isApart
      ? [
          {
            key: 'evidenceHalves',
            values: { first: first.toFixed(2), second: second.toFixed(2), limit: MOST_ERRORS },
          } as const,
        ]
      : []),
    ...(standardError > GREATEST_ERROR ? [{ key: 'evidenceError', values: { limit: GREATEST_ERROR } } as const] : []),
  ];
}

/**
 * One chain of cross-validation with refits. It refits the program without the observations of its share of the folds, and estimates how
 * well each refit predicts them.
 *
 * All refits run with the seed of the request and different random streams, so that results do not depend on the division of refits among
 * chains.
 */

import { DrawCollector } from '../chain/draw-collector.js';
import type { ModelHost } from '../chain/model-host.js';
import { Misfit, refused } from '../chain/refusal.js';
import type { RefitShare, RunInput, RunOutcome, RunRequest, RunSink } from '../chain/request.js';
import { divergencesOf, ShareRuns, type Unfinished } from '../chain/share-runs.js';
import { withoutWarmup } from '../chain/without-warmup.js';
import { convergenceOf } from '../fits/statistics.js';
import { variableOf } from '../formats/columns.js';
import { parseStanData } from '../formats/stan-json.js';
import { predictiveDensity } from '../inference/validation/leave-one-out.js';
import {
  dataHolding,
  dataHoldingNone,
  type Element,
  type Fold,
  foldsOf,
  observationsOf,
  outcomesOf,
} from './held-out.js';
import { indexColumn, REFIT_COLUMNS } from './refit-results.js';

type Request = RunRequest & { readonly refits: RefitShare };

/** Throws for internal faults, for errors of the sink, and errors that `refusalOf` recognizes. */
export function refitShare(host: ModelHost, functionName: string, request: Request, sink: RunSink): RunOutcome {
  const { data: text, index, refits, seed } = request;
  if (typeof text !== 'string') throw new Error('data of refits must be text');
  const outputs = host.outputs(request.model.artifact);
  const outcomes = outcomesOf(outputs);
  const parameters = [
    ...new Set(outputs.flatMap(({ block, name }) => (block === 'parameters' ? [variableOf(name)] : []))),
  ];
  const whole = parseStanData(dataHoldingNone(text, outputs));
  const model = host.instantiate(request.model, whole, { seed, print: () => undefined, ...request.limits });
  const observations = observationsOf(host, model, seed);
  model.close?.();
  if (observations.length === 0) throw new Misfit('/data contain no observations');
  const folds = foldsOf(refits.held, observations, text, seed);
  const depths = new Map(observations.map(({ indices, outcome }) => [outcome, indices.length]));
  const indexColumns = outcomes.flatMap((outcome) => indexColumnsOf(outcome, depths.get(outcome) ?? 0));
  const opened = sink.open({ drawNames: [...REFIT_COLUMNS, ...indexColumns], diagnosticNames: [] });
  const own = folds.filter((_, place) => place % refits.chains === index);
  const runs = new ShareRuns(host, request);
  const report = runs.progress('Refit', own.length, opened);
  let divergences = 0;
  for (const [place, fold] of own.entries()) {
    const fit = refit(runs, functionName, request, { fold, parameters, outcomes, data: text });
    if ('kind' in fit) return fit;
    divergences += fit.divergences;
    for (const element of fold.elements) {
      const logLikelihood = fit.chains.map((chain) => chain.column(element.column) ?? new Float64Array());
      const wrong = logLikelihood.flatMap((chain) => [...chain.filter((value) => !(value < Infinity))]);
      if (wrong.length > 0) {
        const draws = fit.chains.reduce((sum, { rows }) => sum + rows.length, 0);
        const message = `The log likelihood of ${element.name} is ${wrong[0]} in ${wrong.length} of ${draws} draws of the refit without it.`;
        return refused(message);
      }
      const { elpd, mcse } = predictiveDensity(logLikelihood);
      const indices = outcomes.flatMap((outcome) => indicesIn(element, outcome, depths.get(outcome) ?? 0));
      opened.draw(Float64Array.of(fold.number, elpd, mcse, fit.rhat, fit.divergences, ...indices));
    }
    report(place + 1, divergences);
  }
  return { kind: 'finished' };
}

interface Refitted {
  readonly chains: readonly DrawCollector[];
  readonly divergences: number;
  /** The greatest R-hat of the log density and the parameters. */
  readonly rhat: number;
}

interface RefitGround {
  readonly fold: Fold;
  /** Names of the program's parameters. */
  readonly parameters: readonly string[];
  readonly outcomes: readonly string[];
  readonly data: string;
}

/** Runs the Markov chains of a refit. */
function refit(
  runs: ShareRuns,
  functionName: string,
  request: Request,
  { data, fold, outcomes, parameters }: RefitGround,
): Refitted | Unfinished {
  const { inputs, refits } = request;
  const { warm_start } = inputs;
  const held = new Set(fold.elements.map(({ column }) => column));
  const isJudged = (name: string) => name === 'lp__' || parameters.includes(variableOf(name));
  const isKept = (name: string) => isJudged(name) || held.has(name) || name === 'divergent__';
  const save = [...new Set([...parameters, ...[...held].map(variableOf)])];
  const kept = dataHolding(data, outcomes, fold.elements);
  const chains: DrawCollector[] = [];
  let divergences = 0;
  for (let number = 0; number < refits.chainsOfRefit; number++) {
    const chain = 1 + fold.number * refits.chainsOfRefit + number;
    const changes = {
      data: kept,
      inputs: { ...inputs, ...(warm_start && { warm_start: startOf(warm_start, number, chain) }) },
      chain,
      arguments: { ...withoutWarmup(request.arguments), chain, refresh: 0 },
      save,
    };
    const { drawn, outcome } = runs.run(functionName, changes, new DrawCollector(isKept));
    if (outcome.kind !== 'finished') return outcome;
    divergences += divergencesOf(drawn);
    chains.push(drawn);
  }
  const judged = convergenceOf(
    chains[0].names.filter(isJudged).map((name) => ({
      name,
      chains: chains.map((chain) => chain.column(name) ?? new Float64Array()),
    })),
  );
  const rhats = judged.map(({ rhat }) => rhat).filter((rhat) => !Number.isNaN(rhat));
  return { chains, divergences, rhat: rhats.length === 0 ? Number.NaN : Math.max(...rhats) };
}

/**
 * A warm start for a chain of a refit. Its draws are those of the chain from which it starts, under the same ID, so that it starts from the
 * last draw.
 */
function startOf(input: RunInput, number: number, chain: number): RunInput {
  if (input.kind === 'values') return input;
  const open = () => {
    const stored = input.open();
    const drawn = stored?.chains.filter(({ draws }) => draws > 0) ?? [];
    if (stored === undefined || drawn.length === 0) return stored;
    const { columns, diagnosticColumns } = stored;
    const chains = [{ ...drawn[number % drawn.length], chain }];
    const read = (id: number, from?: number) => stored.read(id, from);
    return { columns, diagnosticColumns, chains, read, state: (id: number) => stored.state(id) };
  };
  return { ...input, open };
}

function indexColumnsOf(outcome: string, depth: number): string[] {
  return depth === 0
    ? [indexColumn(outcome)]
    : Array.from({ length: depth }, (_, index) => `${indexColumn(outcome)}.${index + 1}`);
}

/** The indexes of an element in the columns of an outcome: zeros if it belongs to a different outcome, and 1 for a scalar. */
function indicesIn(element: Element, outcome: string, depth: number): readonly number[] {
  const count = Math.max(1, depth);
  if (element.outcome !== outcome) return Array.from({ length: count }, () => 0);
  return depth === 0 ? [1] : element.indices;
}

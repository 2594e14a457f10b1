/** Runs one chain of a function of the services namespace on a model, and passes its events to a sink. */

import { parseStanData } from '../formats/stan-json.js';
import { startingPlaces } from '../inference/adaptation/centering-adaptation.js';
import type { Algorithm, Continuation, Seconds } from '../inference/algorithms/algorithm.js';
import { readArguments, type Settings } from '../inference/algorithms/arguments.js';
import { findAlgorithm } from '../inference/algorithms/registry.js';
import type { Adaptation, EventSink } from '../inference/events.js';
import { createRng } from '../inference/random/random-stream.js';
import { chainEnd, continuationOf, continuedChain } from './continuation.js';
import { type OpenInputs, openInputs } from './inputs.js';
import { LimitedLog } from './limited-log.js';
import type { Blame, EngineModel, ModelHost, ProfileTime } from './model-host.js';
import { LaterBlockSink, NotingSink } from './noting-sink.js';
import { refusalOf, refused } from './refusal.js';
import type { AdaptedSettings, RunOutcome, RunRequest, RunSink } from './request.js';
import { samplerState } from './sampler-state.js';
import { SelectedColumns, selectColumns } from './selected-columns.js';
import type { SlicedModel } from './sliced-model.js';
import { inSlices } from './slicing.js';
import { ModelTarget } from './target.js';
import { WatchedSink } from './watched-sink.js';

/**
 * Runs a chain to its end. If the program fails, returns a `refused` outcome whose message contains the warnings of the log. Throws
 * internal errors and errors of the sink.
 */
export function runFunction(host: ModelHost, functionName: string, request: RunRequest, sink: RunSink): RunOutcome {
  try {
    return runChain(host, functionName, request, sink);
  } catch (error) {
    const refusal = refusalOf(host, error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

function runChain(host: ModelHost, functionName: string, request: RunRequest, sink: RunSink): RunOutcome {
  const algorithm = findAlgorithm(functionName);
  if (algorithm === undefined) throw new Error(`no algorithm ${functionName}`);
  const given = settingsOf(algorithm, request.arguments);
  const { block, chain: id, detail, limits, save, interrupt = () => false, rest, report = () => undefined } = request;
  if (interrupt()) return { kind: 'interrupted' };
  const earlier = continuedChain(request);
  const seed = earlier?.end.seed ?? request.seed;
  let inputs: OpenInputs | undefined;
  let sliced: SlicedModel | undefined;
  let whole: EngineModel | undefined;
  try {
    const printed: string[] = [];
    whole = openModel(host, request, seed, (text) => printed.push(text));
    // The first block has already logged the output of transformed data.
    if (block?.from !== undefined) printed.length = 0;
    const { threads_per_chain } = given.entries();
    if (typeof threads_per_chain === 'number') {
      const origin = { ...request, seed, data: () => request.data, cores: request.cores ?? 1 };
      sliced = inSlices(host, whole, origin, threads_per_chain);
    }
    const model = sliced ?? whole;
    const excess = matricesProblem(algorithm, model.dimension, limits.maximumMemory);
    if (excess !== undefined) return refused(excess, { code: 'out-of-memory' });
    const selection = selectColumns(algorithm, model, save);
    const { drawNames, diagnosticNames } = selection;
    const { leadingRows } = algorithm;
    const outputs = model.parameters.map(({ block, name }) => ({ name, block }));
    const opened = sink.open({ drawNames, diagnosticNames, outputs, ...(leadingRows && { leadingRows }) });
    const limited = new LimitedLog(opened);
    const noting = new NotingSink(block?.from === undefined ? limited : new LaterBlockSink(limited));
    const causes = new LatestBlame(host);
    const target = new ModelTarget(causes.host, model, printed, seed, id);
    const selected = save === undefined ? noting : new SelectedColumns(noting, selection);
    const { max_depth } = given.entries();
    const watched = new WatchedSink(selected, algorithm.drawColumns, () => target.gradients, report, {
      variables: model.constrainedNames({ transformedParameters: true, generatedQuantities: false }),
      ...(block?.before && { before: block.before }),
      ...(typeof max_depth === 'number' && { maximumDepth: max_depth }),
    });
    model.centering?.setPlaces(startingPlaces(model.centering.elements.length));
    inputs = openInputs(causes.host, model, algorithm, request);
    const { warm } = inputs;
    if (block?.from === undefined) for (const line of inputs.unused) watched.log('warn', line);
    for (const line of warm?.report ?? []) watched.log('info', line);
    const next = earlier && continuationOf(earlier, algorithm, model, given.entries());
    const taken = { ...warm?.arguments, ...next?.arguments };
    const places = next?.places ?? warm?.places;
    const settings = settingsOf(algorithm, { ...request.arguments, ...taken });
    if (algorithm.takesHessian && model.withoutHessian !== undefined) {
      watched.log('info', `Second derivatives are differences of gradients: ${model.withoutHessian}.`);
    }
    const isContinuable = algorithm.inputs.includes('continue');
    const names = model.unconstrainedNames();
    const endOf = (end: Continuation | undefined) =>
      isContinuable && end !== undefined ? chainEnd(end, seed, model, given.entries()) : undefined;
    if (settings.entries().reparameterize === 'auto' && model.centering === undefined) {
      watched.log('info', 'Coordinates are those of the program, because it was compiled without learned ones.');
    }
    if (settings.entries().integrate === 'auto' && model.integration === undefined) {
      watched.log('info', 'No parameter is integrated out, because the program was compiled without.');
    }
    const outcome = algorithm.run(settings, {
      ...inputs.given,
      isAdapted: warm?.isAdapted === true,
      ...(places !== undefined && { places }),
      ...(next !== undefined && { continued: next.continued }),
      ...(block !== undefined && { block }),
      target,
      rng: createRng(seed, id),
      stream: (index: number) => createRng(seed, id + index),
      sink: watched,
      ...(detail !== undefined && { detail }),
      interrupt,
      ...(rest !== undefined && isContinuable && { rest: (end) => rest(() => endOf(end()), names) }),
      clock: () => performance.now() / 1000,
    });
    const { profiled = (profiles) => logProfiles(profiles, noting) } = request;
    profiled(model.profiles());
    limited.finish(whole.omittedPrints ?? 0);
    watched.flush();
    if (outcome.status === 'failed') {
      const { latest } = causes;
      const detail = latest?.message === outcome.message ? latest.detail : undefined;
      return refused(noting.failureText(outcome.message), detail);
    }
    const adaptation = noting.adapted && adaptedSettings(algorithm, noting.adapted, model.dimension);
    const state = noting.adapted && samplerState(algorithm, noting.adapted, names);
    const ended = endOf(outcome.end);
    const left = state && { state: { ...state, ...(ended !== undefined && { end: ended }) } };
    const times = outcome.seconds && { seconds: sumOf(outcome.seconds, block?.seconds) };
    if (outcome.status === 'interrupted') return { kind: 'interrupted', ...left, ...times };
    const { differing } = outcome;
    return {
      kind: 'finished',
      ...(adaptation !== undefined && { adaptation }),
      ...left,
      ...times,
      ...(differing !== undefined && { differing }),
    };
  } finally {
    sliced?.close();
    inputs?.close();
    whole?.close?.();
  }
}

/** Notes the latest failure of an evaluation, whose message may become that of the run. */
class LatestBlame {
  latest: Blame | undefined;
  /** The host whose failures are noted. */
  readonly host: ModelHost;

  constructor(host: ModelHost) {
    this.host = {
      ...host,
      blame: (error) => {
        this.latest = host.blame(error);
        return this.latest;
      },
    };
  }
}

function openModel(
  host: ModelHost,
  { data, limits, model }: RunRequest,
  seed: number,
  print: (text: string) => void,
): EngineModel {
  if (typeof data === 'string') return host.instantiate(model, parseStanData(data), { seed, print, ...limits });
  if (data.seed !== seed) throw new Error('the data were bound with another seed');
  if (host.instantiateBound === undefined) throw new Error('the engine cannot use bound data');
  return host.instantiateBound(model, data, { print, ...limits });
}

function settingsOf(algorithm: Algorithm, given: RunRequest['arguments']): Settings {
  const read = readArguments(algorithm.arguments, given);
  if ('problems' in read) throw new Error(`arguments were not checked: ${JSON.stringify(read.problems)}`);
  return read.settings;
}

const MEBIBYTE = 2 ** 20;

/** The error for matrices of a function that exceed the memory limit. They are not in the memory of the model. */
function matricesProblem(
  { functionName, matrices = 0 }: Algorithm,
  dimension: number,
  maximumMemory: number,
): string | undefined {
  const bytes = matrices * dimension ** 2 * Float64Array.BYTES_PER_ELEMENT;
  if (bytes <= maximumMemory) return undefined;
  const [needed, limit] = [bytes, maximumMemory].map((each) => Math.ceil(each / MEBIBYTE));
  return `${functionName} needs ${needed} MiB for ${matrices} matrices of ${dimension} by ${dimension}; the memory limit is ${limit} MiB.`;
}

function logProfiles(profiles: readonly ProfileTime[], sink: EventSink): void {
  for (const { name, seconds, runs } of profiles) {
    sink.log('info', `Profile "${name}": ${seconds.toPrecision(4)} seconds in ${runs} runs`);
  }
}

/** Step size and metric in the form of the algorithm's arguments; undefined if they are not finite. */
function adaptedSettings(algorithm: Algorithm, adapted: Adaptation, dimension: number): AdaptedSettings | undefined {
  const { stepSize: stepsize, inverseMetric } = adapted;
  const elements = [...inverseMetric];
  if (![stepsize, ...elements].every(Number.isFinite)) return undefined;
  const argument = algorithm.arguments.find(({ name }) => name === 'inv_metric');
  if (argument?.type !== 'array') return { stepsize };
  if (argument.depth === 1) return { stepsize, inv_metric: elements };
  const count = dimension === 0 ? 0 : elements.length / dimension;
  const rows = Array.from({ length: count }, (_, row) => elements.slice(row * dimension, (row + 1) * dimension));
  return { stepsize, inv_metric: rows };
}

function sumOf(seconds: Seconds, before: Seconds | undefined): Seconds {
  if (before === undefined) return seconds;
  return { warmup: seconds.warmup + before.warmup, sampling: seconds.sampling + before.sampling };
}

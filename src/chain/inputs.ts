/** Reads the inputs of a function other than its arguments when a chain starts: starting points, a mode, draws. */

import { variableOf } from '../formats/columns.js';
import type { DeclaredOutput } from '../formats/program-blocks.js';
import { isJsonObject, type JsonData, parseStanData, parseStanJson } from '../formats/stan-json.js';
import type { Algorithm, Chain, Input } from '../inference/algorithms/algorithm.js';
import type { ArgumentProblem } from '../inference/algorithms/arguments.js';
import { findAlgorithm } from '../inference/algorithms/registry.js';
import { type DrawSource, type Failure, type InitialValues, noInitialValues } from '../inference/target.js';
import { nearestName } from '../language/suggestion.js';
import { memberOf, refuseForeign } from '../model/values.js';
import { quantitiesProblem } from '../requests/until.js';
import type { EngineModel, ModelHost } from './model-host.js';
import { DrawPositions, parametersProblem } from './positions.js';
import { Misfit } from './refusal.js';
import type {
  InputsCheck,
  InputsRequest,
  RunInput,
  RunRequest,
  SavedDraw,
  StoredChain,
  StoredDraws,
} from './request.js';
import { numbersIn, unconstrainRounded } from './rounding.js';
import { type EarlierChain, type WarmStart, warmStart } from './warm-start.js';

/** Errors in the inputs of a fit, by field, and the number of chains of given draws. */
export function checkInputs(
  request: InputsRequest,
  outputs: readonly DeclaredOutput[],
  makeModel: () => EngineModel,
): Omit<Extract<InputsCheck, { readonly kind: 'inputs' }>, 'kind'> {
  const problems: ArgumentProblem[] = [];
  let chains = 1;
  const { bindingSeed, checksData, mayCopy, quantities = [], save } = request;
  let model = checksData || bindingSeed !== undefined ? makeModel() : undefined;
  const bound = bindingSeed === undefined ? undefined : model?.bound?.(mayCopy);
  for (const input of INPUTS) {
    const source = request.inputs[input];
    if (source === undefined || (input === 'init' && source.kind === 'values')) continue;
    model ??= makeModel();
    const draws = source.kind === 'draws' ? source.open() : undefined;
    const message =
      source.kind === 'draws' ? drawsProblem(input, draws, model) : valuesProblem(input, source.text, model);
    if (message !== undefined) problems.push({ field: `/${input}`, message });
    else if (input === 'continue' && draws !== undefined) chains = draws.chains.length;
    else if (input === 'fitted_params' && draws !== undefined) chains = drawnChains(draws).length;
  }
  const unknown = unknownVariables(outputs, request);
  if (unknown.length > 0)
    problems.push({ field: '/save', message: `names ${unknown.join(', ')}, which draws do not have` });
  const unusable = quantitiesProblem(quantities, outputs, save);
  if (unusable !== undefined) problems.push({ ...unusable, field: `/${unusable.field}` });
  return { problems, chains, ...(bound && { bound }) };
}

/** The inputs of a chain. Call `close` after the chain has ended. */
export interface OpenInputs {
  readonly given: Pick<Chain, 'initial' | 'initialAt' | 'mode' | 'fittedParameters'>;
  readonly warm?: WarmStart;
  /** Warnings about initial values that the program does not use. */
  readonly unused: readonly string[];
  /** Closes the draws of other fits. */
  readonly close: () => void;
}

/** Throws `Misfit` for errors that `checkInputs` finds. */
export function openInputs(
  host: ModelHost,
  model: EngineModel,
  algorithm: Pick<Algorithm, 'metric'>,
  request: RunRequest,
): OpenInputs {
  const { init, mode, fitted_params, warm_start } = request.inputs;
  const warm =
    warm_start &&
    warmStart(host, model, algorithm, earlierChain(model, warm_start, request.chain), givesMetric(request));
  const draws = fitted_params && drawsFrom(host, model, fitted_params, request.index);
  const initialAt = (index: number) =>
    init === undefined
      ? (warm?.initial ?? withoutValues(model))
      : pointFrom(host, model, 'init', init, request.chain, index);
  return {
    given: {
      initial: initialAt(0),
      initialAt,
      ...(mode !== undefined && { mode: pointFrom(host, model, 'mode', mode, request.chain) }),
      ...(draws !== undefined && { fittedParameters: draws }),
    },
    ...(warm !== undefined && { warm }),
    unused: init?.kind === 'values' ? unusedValues(parseStanData(init.text), model) : [],
    close: () => (draws instanceof ChainDraws ? draws.close() : undefined),
  };
}

/** Names in `save` that are not among the outputs. */
function unknownVariables(
  outputs: readonly DeclaredOutput[],
  { functionName, save = [] }: Pick<InputsRequest, 'functionName' | 'save'>,
): string[] {
  const generated = findAlgorithm(functionName)?.draws === 'generated quantities';
  const drawn = outputs.filter(({ block }) => !generated || block === 'generated quantities');
  const known = new Set(drawn.map(({ name }) => variableOf(name)));
  return save.filter((name) => !known.has(name));
}

const INPUTS: readonly Input[] = ['init', 'warm_start', 'continue', 'mode', 'fitted_params'];

function givesMetric({ arguments: { inv_metric } }: RunRequest): boolean {
  return inv_metric !== undefined;
}

function earlierChain(model: EngineModel, source: RunInput, id: number): EarlierChain {
  if (source.kind === 'values') throw new Misfit(`/warm_start ${NO_VALUES}`, 'warm_start');
  const { name } = source;
  const draws = openDraws('warm_start', source, model);
  const { chain, draw } = startingDraw(draws, id);
  return { name, draws, draw, state: draws.state(chain.id) };
}

const NO_VALUES = 'must be draws of an earlier run';

function pointFrom(
  host: ModelHost,
  model: EngineModel,
  input: Input,
  source: RunInput,
  chain: number,
  index = 0,
): InitialValues {
  if (source.kind === 'values') {
    const text = index === 0 ? source.text : (source.further?.[index - 1] ?? source.text);
    return valuesOf(host, model, parseStanData(text));
  }
  const stored = openDraws(input, source, model);
  const { draw } = startingDraw(stored, chain + index);
  const positions = new DrawPositions(host, model, stored);
  return { given: 'all', apply: (position) => positions.read(draw, position) };
}

/** Initial values on the constrained scale. Missing parameters are drawn at random. */
function valuesOf(host: ModelHost, model: EngineModel, values: JsonData): InitialValues {
  const names = parametersOf(model).map(({ name }) => name);
  refuseForeign(values, names, 'parameter initialization');
  const given = names.filter((name) => memberOf(values, name) !== undefined);
  if (given.length === 0) return withoutValues(model);
  return {
    given: given.length === names.length ? 'all' : 'some',
    apply: (position) => attempt(host, () => position.set(model.unconstrain(values, position))),
  };
}

const UNUSED = 'Initial values: ';
const MAXIMUM_UNUSED = 5;

/** Whether a warning of the log is about initial values that the program does not use. */
export function isAboutUnusedValues(text: string): boolean {
  return text.startsWith(UNUSED);
}

/**
 * A warning for each initial value, up to a maximum, under a name that the program does not declare: it may be misspelled. Values of transformed parameters and
 * generated quantities and columns such as `lp__`, which a draw contains, are ignored without a warning.
 */
function unusedValues(values: JsonData, model: EngineModel): string[] {
  const rootOf = (name: string) => name.split('.')[0];
  const declared = new Set(model.parameters.map(({ name }) => rootOf(name)));
  const parameters = parametersOf(model).map(({ name }) => rootOf(name));
  const unknown = Object.keys(values).filter((name) => !declared.has(rootOf(name)) && !name.endsWith('__'));
  const warnings = unknown.slice(0, MAXIMUM_UNUSED).map((name) => {
    const nearest = nearestName(name, parameters);
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    return `${UNUSED}the program has no parameter "${name}", so its value is ignored.${hint}`;
  });
  const further = unknown.length - warnings.length;
  return further > 0 ? [...warnings, `${UNUSED}${further} more names are not parameters of the program.`] : warnings;
}

function withoutValues(model: EngineModel): InitialValues {
  return parametersOf(model).length === 0 ? { given: 'all', apply: () => undefined } : noInitialValues;
}

function drawsFrom(host: ModelHost, model: EngineModel, source: RunInput, index: number): DrawSource {
  if (source.kind === 'values') {
    const draws = readDrawArray(source.text) ?? [];
    return {
      count: draws.length,
      read: (k, position) =>
        attempt(host, () =>
          position.set(
            unconstrainRounded(
              host,
              () => numbersIn(draws[k]),
              (rounding) => model.unconstrain(draws[k], undefined, rounding),
            ),
          ),
        ),
    };
  }
  const stored = openDraws('fitted_params', source, model);
  const chain = drawnChains(stored)[index];
  if (chain === undefined)
    throw new Misfit(`/fitted_params names ${source.name}, which has fewer chains`, 'fitted_params');
  return new ChainDraws(new DrawPositions(host, model, stored), stored, chain);
}

/** The draws of one chain of a fit, read sequentially on demand. */
class ChainDraws implements DrawSource {
  readonly count: number;
  private readonly positions: DrawPositions;
  private readonly draws: Generator<SavedDraw>;

  constructor(positions: DrawPositions, stored: StoredDraws, chain: StoredChain) {
    this.positions = positions;
    this.count = chain.draws;
    this.draws = stored.read(chain.id);
  }

  read(index: number, position: Float64Array): Failure | undefined {
    const next = this.draws.next();
    if (next.done === true) throw new Error(`draw ${index} is missing`);
    return this.positions.read(next.value, position);
  }

  close(): void {
    this.draws.return(undefined);
  }
}

/** Columns that identify functions with independent draws, and functions whose draws form chains. */
const INDEPENDENT: readonly string[] = ['lp_approx__', 'log_g__', 'log_q__'];
const STEPPING = 'accept_stat__';
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/**
 * The draw of a fit from which a chain starts. It depends only on the ID of the chain. From independent draws, chains take evenly spread
 * ones (multiples of the golden ratio, modulo 1). Otherwise, a chain takes the last draw of the chain with the same ID, or of another
 * chain. If the fit has fewer chains than are started, the remaining chains take earlier draws.
 */
function startingDraw(stored: StoredDraws, id: number): { readonly chain: StoredChain; readonly draw: SavedDraw } {
  const chains = drawnChains(stored);
  const turn = Math.max(0, id - 1);
  const own = chains.find(({ chain }) => chain === id);
  const chain = own ?? chains[turn % chains.length];
  const spread = (turns: number) => Math.floor(((GOLDEN_RATIO * turns) % 1) * chain.draws);
  const isIndependent = stored.columns.some((column) => INDEPENDENT.includes(column));
  const isStepping = own === undefined && stored.columns.includes(STEPPING);
  const fromLast = isStepping ? spread(Math.floor(turn / chains.length)) : 0;
  const index = isIndependent ? spread(turn) : chain.draws - 1 - fromLast;
  const [draw] = stored.read(chain.id, index);
  return { chain, draw };
}

function openDraws(
  input: Input,
  { name, open }: Extract<RunInput, { readonly kind: 'draws' }>,
  model: EngineModel,
): StoredDraws {
  const draws = open();
  const problem = drawsProblem(input, draws, model);
  if (draws !== undefined && problem === undefined) return draws;
  throw new Misfit(`/${input} ${problem} (${name})`, input);
}

function endsProblem({ chains, state }: StoredDraws): string | undefined {
  const isWhole = chains.every(({ id }) => state(id)?.end !== undefined);
  return isWhole
    ? undefined
    : 'names a fit that cannot be continued: only fits of the No-U-Turn sampler that have ended warmup can';
}

/** Columns that optimizers add to a draw, since Stan 2.39 and in earlier versions. */
const OPTIMIZER_COLUMNS: readonly string[] = ['lp__,converged__', 'lp__'];

/** The reason why draws cannot be used as an input; undefined if they can. */
function drawsProblem(input: Input, draws: StoredDraws | undefined, model: EngineModel): string | undefined {
  if (draws === undefined) return 'names a fit that no longer exists';
  if (input === 'continue') return endsProblem(draws);
  if (drawnChains(draws).length === 0) return 'names a fit that has no draws';
  if (input === 'warm_start') return undefined;
  const own = draws.columns.filter((column) => column.endsWith('__'));
  if (input === 'mode' && !OPTIMIZER_COLUMNS.includes(own.join())) return 'must name a fit of an optimizer';
  const problem = parametersProblem(model, draws);
  return problem && `names a fit that ${problem}`;
}

function valuesProblem(input: Input, text: string, model: EngineModel): string | undefined {
  if (input === 'warm_start' || input === 'continue') return NO_VALUES;
  const value = parseStanJson(text);
  const objects = input === 'mode' ? [value] : readDrawArray(text);
  if (objects === undefined) return 'must be an array of objects, one per draw, or the name of a fit';
  if (objects.length === 0) return 'must have at least one draw';
  for (const [index, object] of objects.entries()) {
    const place = input === 'mode' ? '' : ` in draw ${index}`;
    if (!isJsonObject(object)) return 'must be an object with one member per parameter, or the name of a fit';
    const missing = parametersOf(model).find(
      ({ name, dims }) => !dims.includes(0) && memberOf(object, name) === undefined,
    );
    if (missing !== undefined) return `lacks the parameter ${variableOf(missing.name)}${place}`;
  }
  return undefined;
}

function readDrawArray(text: string): JsonData[] | undefined {
  const value = parseStanJson(text);
  return Array.isArray(value) && value.every(isJsonObject) ? value : undefined;
}

function drawnChains({ chains }: StoredDraws): readonly StoredChain[] {
  return chains.filter(({ draws }) => draws > 0);
}

function parametersOf(model: EngineModel): EngineModel['parameters'] {
  return model.parameters.filter(({ block }) => block === 'parameters');
}

function attempt(host: ModelHost, action: () => void): Failure | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    const blame = host.blame(error);
    if (blame === undefined) throw error;
    return blame;
  }
}

/**
 * The engine process: compiles programs, runs functions of the services namespace, and stores fits and computes their
 * statistics.
 */

import type { NonFinite } from '../formats/numbers.js';
import { chainDetails, readChainDetails } from '../library/chain-details.js';
import {
  analyze,
  type Calibration,
  calibrationIn,
  compare,
  compareEvidence,
  compile,
  type Fit,
  isAboutUnusedValues,
  type LeaveOneOut,
  type LogEvidence,
  type Model,
  type NamedSummary,
  type Observation,
  openFit,
  openModel,
  outlookText,
  type RefitFields,
  type RefitSampler,
  type Refits,
  type RefittedObservation,
  type Run,
  type RunOptions,
  refitsIn,
} from '../node/library/index.js';
import { includedFiles, includesIn } from '../node/program-files.js';
import { COMPILE_ARGUMENTS } from '../requests/compile-arguments.js';
import { FOREIGN_ARGUMENTS } from '../requests/foreign-arguments.js';
import { headlineOf } from '../requests/headlines.js';
import { variablesText } from '../requests/variables.js';
import { type Call, compileArguments, readCall, serverRequest, withNamesOf, withSampler } from './arguments.js';
import { failureOf } from './failure.js';
import type { ReadFit } from './fit-file.js';
import { bytesOf, type Frame, framePieces, splitParts } from './frames.js';
import { calibrationPlots, plotsOf } from './plots.js';
import type { EngineRequest, RunRequest, SentInput } from './requests.js';
import { ValueReader } from './values.js';

type Parts = readonly Uint8Array<ArrayBuffer>[];
/** The header and the parts of a response. */
type Answer = readonly [header: object, parts?: readonly Uint8Array[]];

const NONE = new Float64Array();

/** Columns of a summary. */
const STATISTICS = [
  'mean',
  'mcseMean',
  'sd',
  'mcseSd',
  'q05',
  'q50',
  'q95',
  'essBulk',
  'essTail',
  'rhat',
] as const satisfies readonly (keyof NamedSummary)[];

/** Columns of leave-one-out cross-validation, with one row per observation. */
const REFITTED = ['fold', 'elpd', 'mcse'] as const satisfies readonly (keyof RefittedObservation)[];
const POINTWISE = ['elpd', 'mcse', 'effectiveParameters', 'paretoK'] as const satisfies readonly (keyof Observation)[];

export class PipeEngine {
  private readonly write: (header: object, parts?: readonly Uint8Array[]) => void;
  private readonly models = new Map<number, Model>();
  private readonly fits = new Map<number, Fit>();
  private readonly stops = new Map<number, AbortController>();
  private next = 1;

  constructor(write: (pieces: readonly Uint8Array[]) => void, nonFinite: NonFinite = 'literal') {
    this.write = (header, parts) => write(framePieces(header, parts, nonFinite));
  }

  async receive({ header, payload }: Frame): Promise<void> {
    const request: EngineRequest = JSON.parse(header);
    const { id } = request;
    try {
      const stop = new AbortController();
      this.stops.set(id, stop);
      const [answer, parts] = await this.perform(request, splitParts(payload, request.parts), stop.signal);
      this.write({ id, ...answer }, parts);
    } catch (error) {
      this.write({ id, error: failureOf(error) });
    } finally {
      this.stops.delete(id);
    }
  }

  /** Handles a request. A later request to cancel it, by number, aborts the signal. */
  private async perform(request: EngineRequest, parts: Parts, signal: AbortSignal): Promise<Answer> {
    switch (request.op) {
      case 'compile': {
        const { folders = [], includes = {}, name = 'string', program } = request;
        const found = includesIn(includedFiles(program, folders));
        return this.keepModel(await compile(program, { name, includes: { ...found, ...includes }, signal }));
      }
      case 'analyze': {
        const { folders = [], includes = {}, name = 'string', pedantic = false, program } = request;
        const found = includesIn(includedFiles(program, folders));
        return [await analyze(program, { name, pedantic, includes: { ...found, ...includes }, signal })];
      }
      case 'open':
        return this.keepModel(await openModel({ ...request.contents, wasm: parts[0] }));
      case 'run':
        return this.run(request.id, request, parts, signal);
      case 'call': {
        const { arguments: args, model, name, seed, signature } = request;
        const options = { signal, ...(seed !== undefined && { seed }), ...(signature !== undefined && { signature }) };
        return [await this.model(model).call(name, args, options)];
      }
      case 'profile': {
        const { arrays, data, evaluations, model, point, seed } = request;
        const given = {
          data: new ValueReader(arrays, parts).variables(data),
          random_seed: seed,
          signal,
          ...(evaluations !== undefined && { evaluations }),
          ...(point !== undefined && { point }),
        };
        return [await this.model(model).profile(given)];
      }
      case 'method':
        return [serverRequest(request)];
      case 'compile arguments':
        return [{ fields: compileArguments(request.fields, request.caller) }];
      case 'foreign arguments':
        return [{ rows: FOREIGN_ARGUMENTS, compile: COMPILE_ARGUMENTS }];
      case 'open fit':
        return this.openFit(request, parts);
      case 'save fit': {
        const { arrays = [], data, fit, isWhole, path, source } = request;
        const text = data === undefined ? undefined : variablesText(new ValueReader(arrays, parts).variables(data));
        const { saveFit } = await import('./fit-file.js');
        saveFit(path, this.fit(fit).contents(), { source, data: text, isWhole });
        return [{}];
      }
      case 'load fit': {
        const { loadFit } = await import('./fit-file.js');
        return this.keepRead(loadFit(request.path));
      }
      case 'read csv': {
        const { readCsvFit } = await import('./fit-file.js');
        return this.keepRead(readCsvFit(request.paths));
      }
      case 'formula': {
        const { formulaModel } = await import('./formula.js');
        return [await formulaModel(request)];
      }
      case 'cancel':
        this.stops.get(request.run)?.abort();
        return [{}];
      case 'chain': {
        const chain = this.chainOf(request.fit, request.chain);
        const { adapted, diagnostics, initial = NONE, values } = chain;
        const details = new TextEncoder().encode(JSON.stringify(chainDetails(chain)));
        const metric = Float64Array.from((adapted?.inv_metric ?? []).flat());
        const shape = shapeOf(adapted?.inv_metric ?? []);
        return [
          { stepsize: adapted?.stepsize, shape },
          [...[values, diagnostics, initial, metric].map(bytesOf), details],
        ];
      }
      case 'summary':
        return this.summary(request.fit, request.variables);
      case 'plot': {
        const plots = await plotsOf(this.fit(request.fit), request.kind, request.variables, request.most);
        return [{}, plots.map((text) => new TextEncoder().encode(text))];
      }
      case 'diagnose': {
        const findings = await this.fit(request.fit).diagnose();
        return [{ findings, headline: headlineOf(findings) }];
      }
      case 'calibration':
        return calibrationAnswer(calibrationIn(this.fit(request.fit)));
      case 'plot calibration': {
        const plots = calibrationPlots(calibrationIn(this.fit(request.fit)), request);
        return [{}, plots.map((text) => new TextEncoder().encode(text))];
      }
      case 'refits':
        return refitsAnswer(refitsIn(this.fit(request.fit)));
      case 'model loo': {
        const { arrays, fit, momentMatch, model } = request;
        const data = new ValueReader(arrays, parts).variables(request.data);
        return withSampler(request.exact, async (exact) =>
          looAnswer(await this.model(model).loo(this.fit(fit), data, { momentMatch, exact, signal })),
        );
      }
      case 'loo':
        return looAnswer(await this.loo(request.fit, request.variable));
      case 'compare':
        return withSampler(request.exact, (exact) => this.compare(request, parts, exact, signal));
      case 'evidence':
        return this.evidence(request, parts, signal);
      case 'csv':
        return this.csv(request);
      case 'release':
        if (request.model !== undefined) this.models.delete(request.model);
        if (request.fit !== undefined) this.fits.delete(request.fit);
        return [{}];
      case 'cmdstan': {
        const { layOutHome } = await import('../cmdstan/home.js');
        layOutHome(request.folder);
        return [{}];
      }
    }
  }

  private keepModel(model: Model): Answer {
    const { wasm, ...contents } = model.contents();
    const key = this.next++;
    this.models.set(key, model);
    return [{ model: key, contents }, [wasm]];
  }

  private async run(id: number, request: RunRequest, parts: Parts, signal: AbortSignal): Promise<Answer> {
    const { call, run } = this.start(request, new ValueReader(request.arrays, parts), signal);
    const warnings = new Set<string>();
    try {
      for await (const event of run) {
        const { kind } = event;
        if (kind === 'log' && isAboutUnusedValues(event.text)) warnings.add(event.text);
        if (kind === 'log' || kind === 'progress' || kind === 'remark') this.write({ id, event });
        if (kind === 'progress') this.write({ id, event: { kind: 'outlook', text: outlookText(run.outlook()) } });
      }
      return this.keepFit(await run.result(), true, [...warnings]);
    } catch (error) {
      const fit = signal.aborted && keepsDraws(request) ? run.soFar() : undefined;
      if (fit === undefined || fit.columns.length === 0) throw withNamesOf(call, error);
      return this.keepFit(fit, false, [...warnings]);
    }
  }

  private start(
    request: RunRequest,
    reader: ValueReader,
    signal: AbortSignal,
  ): { readonly run: Run; readonly call: Call } {
    const { caller, data, diagnostics = false, fields, inputs, method, numbers } = request;
    const typed = {
      ...fields,
      ...reader.variables(numbers),
      ...Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, this.input(input, reader)])),
    };
    const call = readCall(method, typed, caller);
    const given = { ...call.fields, data: reader.variables(data) };
    return { run: startRun(this.model(request.model), request, given, { ...call.options, diagnostics, signal }), call };
  }

  private input(input: SentInput, reader: ValueReader): unknown {
    if ('fit' in input) return this.fit(input.fit);
    return 'list' in input ? input.list.map((each) => reader.variables(each)) : reader.variables(input.values);
  }

  private openFit(request: Extract<EngineRequest, { readonly op: 'open fit' }>, parts: Parts): Answer {
    const { asked, columns, diagnosticColumns, isWhole = true, outputs, program, stopped } = request;
    const chains = request.chains.map(({ adapted, draws, id, warmup }, index) => {
      const [values, diagnostics, details] = parts.slice(3 * index, 3 * index + 3);
      const known = details.length === 0 ? { adapted } : JSON.parse(new TextDecoder().decode(details));
      return {
        ...readChainDetails(known, id),
        ...{ id, warmup, draws },
        values: new Float64Array(values.buffer),
        diagnostics: new Float64Array(diagnostics.buffer),
      };
    });
    const contents = { asked, columns, diagnosticColumns, outputs, program, chains, ...(stopped && { stopped }) };
    return this.keepFit(openFit(contents), isWhole);
  }

  private keepRead({ contents, origin, warnings }: ReadFit): Answer {
    const [header] = this.keepFit(openFit(contents), origin.isWhole, warnings);
    return [{ ...header, source: origin.source, data: origin.data }];
  }

  /** Stores a fit, and returns its description. The client requests the numbers chain by chain. */
  private keepFit(fit: Fit, isWhole: boolean, warnings: readonly string[] = []): Answer {
    const key = this.next++;
    this.fits.set(key, fit);
    const { asked, columns, diagnosticColumns, outputs, program, stopped = null } = fit.contents();
    const chains = fit.chains.map(({ draws, id, warmup }) => ({ id, warmup, draws }));
    return [{ fit: key, isWhole, asked, columns, diagnosticColumns, outputs, program, chains, stopped, warnings }];
  }

  private async summary(key: number, variables: readonly string[] | undefined): Promise<Answer> {
    const summaries = await this.fit(key).summary(variables === undefined ? {} : { variables });
    const table = STATISTICS.map((name) => bytesOf(Float64Array.from(summaries, (each) => each[name])));
    const names = summaries.map(({ name }) => name);
    return [{ names, statistics: STATISTICS, variation: summaries.map(({ variation }) => variation) }, table];
  }

  private loo(key: number, variable: string | undefined): Promise<LeaveOneOut> {
    return this.fit(key).loo(variable === undefined ? {} : { variable });
  }

  private async compare(
    { arrays, fits, momentMatch = false, variable }: Extract<EngineRequest, { readonly op: 'compare' }>,
    parts: Parts,
    exact: RefitSampler | false,
    signal: AbortSignal,
  ): Promise<Answer> {
    const reader = new ValueReader(arrays, parts);
    const options = { exact, momentMatch, signal, ...(variable !== undefined && { variable }) };
    const named: (readonly [string, LeaveOneOut])[] = [];
    for (const { fit, name, of } of fits) {
      const loo =
        of === undefined
          ? await this.loo(fit, variable)
          : await this.model(of.model).loo(this.fit(fit), reader.variables(of.data), options);
      named.push([name, loo]);
    }
    return [compare(Object.fromEntries(named))];
  }

  private async evidence(
    { arrays, fits, priors, seed }: Extract<EngineRequest, { readonly op: 'evidence' }>,
    parts: Parts,
    signal: AbortSignal,
  ): Promise<Answer> {
    const reader = new ValueReader(arrays, parts);
    const evidences: Record<string, LogEvidence> = {};
    for (const { fit, name, of } of fits) {
      const options = { random_seed: seed, signal };
      evidences[name] = await this.model(of.model).logEvidence(this.fit(fit), reader.variables(of.data), options);
    }
    return [{ evidences: Object.values(evidences), ...(fits.length > 1 && compareEvidence(evidences, priors)) }];
  }

  private csv({ chain, digits, fit }: Extract<EngineRequest, { readonly op: 'csv' }>): Answer {
    const text = this.fit(fit).csv(chain, digits === undefined ? {} : { significantDigits: digits });
    return [{}, [new TextEncoder().encode(text)]];
  }

  private model(key: number): Model {
    return found(this.models.get(key), 'model', key);
  }

  private fit(key: number): Fit {
    return found(this.fits.get(key), 'fit', key);
  }

  private chainOf(fit: number, chain: number): Fit['chains'][number] {
    return found(
      this.fit(fit).chains.find(({ id }) => id === chain),
      'chain',
      chain,
    );
  }
}

function startRun(model: Model, { derived, method }: RunRequest, given: RefitFields, options: RunOptions): Run {
  if (derived === undefined) return model.runMethod(method, { ...given }, options);
  if (derived === 'sbc') return model.startSbc(given, options);
  if (derived === 'kfold') return model.startKfold(given, options);
  return model.runDerived(derived, { ...given }, options);
}

/**
 * Whether an interrupted run returns its draws so far. A sampler does; results from only some simulations or refits
 * would be of no use.
 */
function keepsDraws({ derived, method }: RunRequest): boolean {
  return method === 'sample' && derived !== 'sbc' && derived !== 'kfold';
}

function looAnswer({ observations, ...rest }: LeaveOneOut): Answer {
  const table = POINTWISE.map((name) => bytesOf(Float64Array.from(observations, (each) => each[name])));
  return [{ ...rest, names: observations.map(({ name }) => name), statistics: POINTWISE }, table];
}

function refitsAnswer({ observations, ...rest }: Refits): Answer {
  const columns = REFITTED.map((name) => bytesOf(Float64Array.from(observations, (each) => each[name])));
  return [{ ...rest, names: observations.map(({ name }) => name) }, columns];
}

function calibrationAnswer({ band, places, quantities, ...rest }: Calibration): Answer {
  const names = quantities.map(({ name }) => name);
  const probabilities = quantities.map(({ probability }) => probability);
  const columns = [places, band, ...quantities.flatMap(({ differences, ranks }) => [ranks, differences])];
  return [{ ...rest, names, probabilities }, columns.map((each) => bytesOf(Float64Array.from(each)))];
}

function shapeOf(metric: readonly number[] | readonly (readonly number[])[]): readonly number[] {
  const [first] = metric;
  return typeof first === 'object' ? [metric.length, first.length] : [metric.length];
}

function found<Kept>(kept: Kept | undefined, kind: string, key: number): Kept {
  if (kept === undefined) throw new Error(`this process has no ${kind} ${key}`);
  return kept;
}

import type { CompilationOptions, ProgramSource } from '../chain/compiler.js';
import { type CompiledModel, declaredOutputs } from '../chain/model-host.js';
import type { DerivedKind } from '../derive/derived-names.js';
import { coresPerChain, planRun } from '../fits/plan.js';
import type { DeclaredOutput } from '../formats/program-blocks.js';
import type { BoundData } from '../model/bind.js';
import { compileOn } from './compile-on.js';
import { RequestError } from './errors.js';
import type { RunOptions } from './model-options.js';
import type { PortableInputs } from './protocol.js';
import type { ReadRequest } from './requests.js';
import type { Prepared } from './run.js';
import type { Threads } from './threads.js';

/** A compiled program, with other modules of it and derived programs, which are compiled when first required. Prepares runs. */
export class CompiledProgram {
  readonly source: ProgramSource;
  readonly model: CompiledModel;
  readonly outputs: readonly DeclaredOutput[];
  private readonly threads: Threads;
  private readonly derivedAs: DerivedKind | undefined;
  /** By compiler options. */
  private readonly modules = new Map<string, CompiledModel>();
  private readonly derivedPrograms = new Map<DerivedKind, CompiledProgram>();

  /** `derivedAs`: how the program is derived from `source`. */
  constructor(threads: Threads, source: ProgramSource, model: CompiledModel, derivedAs?: DerivedKind) {
    this.threads = threads;
    this.source = source;
    this.model = model;
    this.outputs = declaredOutputs(model.artifact);
    this.derivedAs = derivedAs;
  }

  async derived(kind: DerivedKind, signal: AbortSignal | undefined): Promise<CompiledProgram> {
    const { derivedPrograms, source, threads } = this;
    const known = derivedPrograms.get(kind);
    if (known !== undefined) return known;
    const { model } = await compileOn(threads, source, { derived: kind }, signal);
    const program = new CompiledProgram(threads, source, model, kind);
    derivedPrograms.set(kind, program);
    return program;
  }

  /** `isStudy`: whether each chain fits several data sets. */
  async prepare(
    request: ReadRequest,
    { diagnostics = true, parallelChains, signal }: RunOptions,
    isStudy: boolean,
  ): Promise<Prepared> {
    const { arguments: settings, firstChain, functionName, inputs, save, seed, until } = request;
    const { bindsOnce, blocks, module } = planRun({ ...request, function: functionName, isStudy });
    const model = await this.module(module, signal);
    const { count = request.chains, bound } = await this.checkInputs(request, model, bindsOnce, signal);
    const data = bound ?? request.data;
    const chains = Array.from({ length: count }, (_, index) => {
      const chain = firstChain + index;
      const program = { model, data, inputs: inputsOfChain(inputs, index), diagnostics };
      const cores = coresPerChain(this.threads.parallelism, Math.min(count, parallelChains ?? count));
      const common = { ...program, arguments: { ...settings, chain }, seed, chain, index, cores };
      return save === undefined ? common : { ...common, save };
    });
    const created = new Date().toISOString();
    const rule = until && { until: { ...until, block: Number(settings.num_samples) } };
    const asked = { function: functionName, arguments: settings, random_seed: seed, created, ...rule };
    const program = programName(this.model.id);
    const optional = { ...(blocks && { blocks }), ...(parallelChains !== undefined && { parallelChains }) };
    return { origin: { asked, program, outputs: this.outputs }, chains, ...optional };
  }

  /** The program compiled with these options. */
  async module(options: CompilationOptions | undefined, signal: AbortSignal | undefined): Promise<CompiledModel> {
    if (options === undefined) return this.model;
    const { derivedAs: derived, modules, source, threads } = this;
    const key = Object.keys(options).join();
    const known = modules.get(key);
    if (known !== undefined) return known;
    const { model } = await compileOn(threads, source, { ...options, ...(derived && { derived }) }, signal);
    modules.set(key, model);
    return model;
  }

  /**
   * Throws if inputs do not match the model. Returns the number of chains of given draws, and the bound data if
   * requested.
   */
  private async checkInputs(
    request: ReadRequest,
    model: CompiledModel,
    binds: boolean,
    signal: AbortSignal | undefined,
  ): Promise<{ count?: number; bound?: BoundData }> {
    const { data, functionName, inputs, save, seed, until: { quantities } = {} } = request;
    const optional = { ...(save && { save }), ...(quantities && { quantities }), ...(binds && { bindingSeed: seed }) };
    const { bound, chains, problems } = await this.threads.perform(
      { kind: 'check inputs', functionName, model, data, inputs, checksData: true, ...optional },
      'inputs',
      { signal },
    );
    if (problems.length > 0) {
      throw new RequestError(problems.map(({ field, message }) => ({ field: field.slice(1), message })));
    }
    const count = inputs.fitted_params === undefined && inputs.continue === undefined ? undefined : chains;
    return { ...(count !== undefined && { count }), ...(bound && { bound }) };
  }
}

/** Inputs of a chain. If each chain has its own initial values, those of this chain are first. */
function inputsOfChain({ init, ...others }: PortableInputs, index: number): PortableInputs {
  if (init === undefined) return others;
  if (init.kind !== 'values' || init.further === undefined) return { ...others, init };
  const texts = [init.text, ...init.further].slice(index);
  const [text = init.text, ...further] = texts;
  return { ...others, init: { kind: 'values', text, further } };
}

/** The model name for the name of a program: `eight_schools` for `models/eight-schools.stan`. */
function programName(name: string): string {
  const file = name.replace(/^.*[/\\]/, '').replace(/\.stan$/, '');
  return file.replace(/[^A-Za-z0-9_]/g, '_');
}

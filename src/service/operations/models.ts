import { Compile } from 'typebox/schema';
import type { CompilationOptions, Description, DiagnosticDetail, ProgramSource } from '../../chain/compiler.js';
import type { CompiledModel } from '../../chain/model-host.js';
import type { CalibrationShare } from '../../chain/request.js';
import type { DerivedKind } from '../../derive/derived-names.js';
import { DamagedFile, ifDamaged } from '../../fit-files/checksums.js';
import { priorModule } from '../../studies/calibration-prior.js';
import { problems } from '../errors.js';
import { type DescribedModelResource, type ModelResource, ModelSchema } from '../schemas/models.js';
import { forEachFile } from '../store/files.js';
import { identifierOf } from '../store/identifiers.js';
import { modelName } from '../store/ledger.js';
import type { CompiledFiles, Store } from '../store/store.js';
import type { Requests } from '../threads/requests.js';
import type { FitRequest } from './fit-request.js';

/** Maximum number of compiled modules in memory. */
const KEPT_MODULES = 64;

const validator = Compile(ModelSchema);

/** The models that the chains of a request use. */
export interface RunModels {
  readonly model: CompiledModel;
  /** Present for a calibration. */
  readonly calibrated?: Pick<CalibrationShare, 'prior' | 'replicated'>;
}

/** Compiles programs, each once, and finds compiled models. */
export class Models {
  private readonly store: Store;
  private readonly requests: Requests;
  /** Identifier of the engine's build and platform. */
  private readonly engine: string;
  private readonly compiling = new Map<string, Promise<ModelResource>>();
  private readonly kept = new Map<string, Promise<CompiledModel | undefined>>();

  /** `engineVersion` differs between builds and platforms that generate different code. */
  constructor(store: Store, requests: Requests, engineVersion: string) {
    this.store = store;
    this.requests = requests;
    this.engine = identifierOf('engine', engineVersion);
  }

  /** The model of a program, from the store if it exists there. */
  compile(source: ProgramSource): Promise<ModelResource> {
    const id = identifierOf('model', source.program, this.engine, ...partsOf(source.includes));
    const compile = () => this.compileNew(id, source);
    const running = this.compiling.get(id) ?? this.using(id, compile).finally(() => this.compiling.delete(id));
    this.compiling.set(id, running);
    return running;
  }

  /** Errors, warnings, contents and formatted source of a program. Does not compile it. */
  async describe(source: ProgramSource, pedantic: boolean, explain = false): Promise<Description> {
    const job = { kind: 'describe', source, pedantic, explain } as const;
    return (await this.requests.perform('Checking the program', job, 'described')).description;
  }

  /** A model with its program. Throws if no model has that identifier. */
  find(id: string): Promise<DescribedModelResource> {
    return this.using(id, () => this.describeStored(id));
  }

  private async describeStored(id: string): Promise<DescribedModelResource> {
    const [resource, source] = await Promise.all([this.resource(id), this.store.models.readSource(id)]);
    if (resource === undefined || source === undefined) throw problems.modelNotFound(id);
    const { program: program_code, includes } = source;
    const { info } = await this.describe(source, false);
    return {
      ...resource,
      program_code,
      ...(Object.keys(includes).length > 0 && { includes }),
      ...(info !== undefined && { info }),
    };
  }

  /** Models, and damaged files of models whose resource or program cannot be read. */
  async list(ids: readonly string[]): Promise<{ resources: ModelResource[]; damaged: DamagedFile[] }> {
    const read = async (id: string) => {
      const resource = await this.resource(id);
      await this.store.models.readSource(id);
      return resource;
    };
    const found = await forEachFile(ids, (id) => ifDamaged(read(id), (damage) => damage));
    const damaged = found.filter((each) => each instanceof DamagedFile);
    const resources = found.flatMap((each) => (each === undefined || each instanceof DamagedFile ? [] : [each]));
    return { resources, damaged };
  }

  /** A compiled model for a worker. Throws if no model has that identifier. */
  load(id: string): Promise<CompiledModel> {
    return this.keep(id, id, () => this.read(id));
  }

  /** Caches the result of `read` under a key while the model exists. Throws if no model has that identifier. */
  private keep(key: string, id: string, read: () => Promise<CompiledModel | undefined>): Promise<CompiledModel> {
    return this.using(id, () => this.keepRead(key, id, read));
  }

  private async keepRead(
    key: string,
    id: string,
    read: () => Promise<CompiledModel | undefined>,
  ): Promise<CompiledModel> {
    if (!(await this.store.models.has(id))) this.kept.delete(key);
    const loading = this.kept.get(key) ?? read();
    loading.catch(() => this.kept.delete(key));
    this.kept.delete(key);
    this.kept.set(key, loading);
    const [oldest] = this.kept.keys();
    if (this.kept.size > KEPT_MODULES && oldest !== undefined) this.kept.delete(oldest);
    const model = await loading;
    if (model !== undefined) return model;
    this.kept.delete(key);
    throw problems.modelNotFound(id);
  }

  /**
   * The models that a run needs, the first one compiled with the options of the run's plan. Throws if one cannot be derived from the
   * program.
   */
  async loadFor(
    id: string,
    { prior, refits, simulations }: Pick<FitRequest, 'prior' | 'refits' | 'simulations'>,
    module: CompilationOptions = {},
  ): Promise<RunModels> {
    if (refits !== undefined) return { model: await this.loadOwn(id, module, 'held_out') };
    if (prior === true) return { model: await this.loadOwn(id, module, 'prior') };
    const model = await this.loadOwn(id, module);
    if (simulations === undefined) return { model };
    const priorModel = await this.loadCompiled(id, 'prior for calibration', { ...priorModule(), derived: 'prior' });
    return { model, calibrated: { prior: priorModel, replicated: await this.loadDerived(id, 'replicated') } };
  }

  /** The model with these options; without them if its program is damaged. */
  private async loadOwn(id: string, module: CompilationOptions, derived?: DerivedKind): Promise<CompiledModel> {
    const names = Object.keys(module);
    if (names.length === 0 || (await this.source(id)) === undefined)
      return derived === undefined ? this.load(id) : this.loadDerived(id, derived);
    const name = [...(derived === undefined ? [] : [derived]), ...names].join(' ');
    return this.loadCompiled(id, name, { ...module, ...(derived && { derived }) });
  }

  /**
   * A model whose log density can be evaluated in slices, compiled on demand. Throws if no model has that identifier.
   */
  loadSliced(id: string): Promise<CompiledModel> {
    return this.loadCompiled(id, 'slices', { slices: true });
  }

  /** A model that is derived from the program of another one, compiled on demand. */
  private loadDerived(id: string, derived: DerivedKind): Promise<CompiledModel> {
    return this.loadCompiled(id, derived, { derived });
  }

  private loadCompiled(id: string, name: string, options: CompilationOptions): Promise<CompiledModel> {
    return this.keep(`${id} ${name}`, id, async () => {
      const source = await this.store.models.readSource(id);
      return source && { id: `${id} ${name}`, ...(await this.compileFor(source, options)) };
    });
  }

  private async compileFor(source: ProgramSource, options: CompilationOptions) {
    const compiled = await this.compileProgram(source, options);
    const wasm = new Uint8Array(compiled.wasm);
    return { artifact: compiled.artifact, module: await WebAssembly.compile(wasm), wasm };
  }

  /** A model's program; undefined if it does not exist. */
  source(id: string): Promise<ProgramSource | undefined> {
    return this.using(id, () => ifDamaged(this.store.models.readSource(id), () => undefined));
  }

  /** Records a use of a model, which is not evicted before the action ends. */
  private async using<Result>(id: string, action: () => Promise<Result>): Promise<Result> {
    const release = this.store.hold(modelName(id));
    try {
      this.store.touch(modelName(id));
      return await action();
    } finally {
      release();
    }
  }

  /** Throws if no model has that identifier. */
  async remove(id: string): Promise<void> {
    this.kept.delete(id);
    if (!(await this.store.models.remove(id))) throw problems.modelNotFound(id);
  }

  private async compileNew(id: string, source: ProgramSource): Promise<ModelResource> {
    // A damaged program is repaired by a request that contains it.
    const stored = await ifDamaged(this.store.models.readSource(id), () => undefined);
    const cached = stored && (await ifDamaged(this.storedResource(id), () => undefined));
    return cached ?? this.make(id, source);
  }

  /** Compiles a program and stores the model, replacing existing files. */
  private async make(id: string, source: ProgramSource): Promise<ModelResource> {
    const { artifact, wasm, log, warnings } = await this.compileProgram(source);
    const resource = { name: `models/${id}`, compiler_output: log, stanc_warnings: warnings };
    const model = { resource: JSON.stringify(resource), source, artifact, wasm };
    const kept = await this.store.models.save(id, this.engine, model);
    return readResource(kept) ?? resource;
  }

  private async compileProgram(source: ProgramSource, options: CompilationOptions = {}) {
    const job = { kind: 'compile', source, ...options } as const;
    const outcome = await this.requests.perform('Compiling the program', job, 'compiled', 'not compiled');
    if (outcome.kind === 'compiled') return outcome;
    throw problems.notCompiled(outcome.text, outcome.diagnostics.map(asErrorDetail));
  }

  /** The resource of a model; rebuilt from its program if it is damaged. */
  private async resource(id: string): Promise<ModelResource | undefined> {
    return ifDamaged(this.storedResource(id), async () => {
      const source = await this.store.models.readSource(id);
      return source && this.make(id, source);
    });
  }

  private async storedResource(id: string): Promise<ModelResource | undefined> {
    const text = await this.store.models.readResource(id);
    return text === undefined ? undefined : readResource(text);
  }

  private async read(id: string): Promise<CompiledModel | undefined> {
    const files = (await this.readCompiled(id)) ?? (await this.compileAgain(id));
    if (files === undefined) return undefined;
    const wasm = new Uint8Array(files.wasm);
    return { id, artifact: files.artifact, module: await WebAssembly.compile(wasm), wasm };
  }

  private readCompiled(id: string): Promise<CompiledFiles | undefined> {
    return ifDamaged(this.store.models.readCompiled(id, this.engine), () => undefined);
  }

  /** Recompiles a stored model that is from another build of the engine, or damaged. */
  private async compileAgain(id: string): Promise<CompiledFiles | undefined> {
    const source = await this.store.models.readSource(id);
    if (source === undefined) return undefined;
    const compiled = await this.compileProgram(source);
    await this.store.models.saveCompiled(id, this.engine, compiled);
    return compiled;
  }
}

/** Names and texts in a canonical order. */
function partsOf(includes: ProgramSource['includes']): readonly string[] {
  return Object.keys(includes)
    .sort()
    .flatMap((name) => [name, includes[name] ?? '']);
}

/** A diagnostic as an entry of an error's details, without the text that is already in the error's message. */
export function asErrorDetail({ text: _, ...rest }: DiagnosticDetail): object {
  return { field: '/program_code', ...rest };
}

function readResource(text: string): ModelResource | undefined {
  const resource: unknown = JSON.parse(text);
  return validator.Check(resource) ? resource : undefined;
}

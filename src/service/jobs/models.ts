import { Value } from 'typebox/value';
import { problems } from '../errors.js';
import { type ModelResource, ModelSchema } from '../schemas.js';
import { identifierOf } from '../store/identifiers.js';
import type { CompiledFiles, Store } from '../store/store.js';
import type { CompiledModel } from './protocol.js';
import type { Requests } from './requests.js';

/** Compiled modules that stay in memory. */
const KEPT_MODULES = 64;

/** Compiles programs, once each, and finds compiled ones again. */
export class Models {
  private readonly store: Store;
  private readonly requests: Requests;
  /** Identifier of the engine's build and platform. */
  private readonly engine: string;
  private readonly compiling = new Map<string, Promise<ModelResource>>();
  private readonly kept = new Map<string, Promise<CompiledModel | undefined>>();

  /** `engineVersion` tells apart what compiles to different code, platforms included. */
  constructor(store: Store, requests: Requests, engineVersion: string) {
    this.store = store;
    this.requests = requests;
    this.engine = identifierOf('engine', engineVersion);
  }

  /** The model of a program, from the store when it is there. */
  compile(program: string): Promise<ModelResource> {
    const id = identifierOf('model', program, this.engine);
    const running = this.compiling.get(id) ?? this.compileNew(id, program).finally(() => this.compiling.delete(id));
    this.compiling.set(id, running);
    return running;
  }

  async list(): Promise<ModelResource[]> {
    const ids = await this.store.modelIds();
    const found = await Promise.all(ids.map((id) => this.resource(id)));
    return found.filter((model) => model !== undefined);
  }

  /** A compiled model to be handed to a worker. Throws when there is none of that identifier. */
  async load(id: string): Promise<CompiledModel> {
    const loading = this.kept.get(id) ?? this.read(id);
    loading.catch(() => this.kept.delete(id));
    this.kept.delete(id);
    this.kept.set(id, loading);
    const [oldest] = this.kept.keys();
    if (this.kept.size > KEPT_MODULES && oldest !== undefined) this.kept.delete(oldest);
    const model = await loading;
    if (model !== undefined) return model;
    this.kept.delete(id);
    throw problems.modelNotFound(id);
  }

  /** Throws when there is none of that identifier. */
  async remove(id: string): Promise<void> {
    this.kept.delete(id);
    if (!(await this.store.removeModel(id))) throw problems.modelNotFound(id);
  }

  private async compileNew(id: string, program: string): Promise<ModelResource> {
    const cached = await this.resource(id);
    if (cached !== undefined) return cached;
    const { artifact, wasm, log, warnings } = await this.compileProgram(program);
    const resource = { name: `models/${id}`, compiler_output: log, stanc_warnings: warnings };
    const model = { resource: JSON.stringify(resource), program, artifact, wasm };
    await this.store.saveModel(id, this.engine, model);
    return resource;
  }

  private async compileProgram(program: string) {
    const job = { kind: 'compile', program } as const;
    const outcome = await this.requests.perform('Compiling the program', job, 'compiled', 'not compiled');
    if (outcome.kind === 'compiled') return outcome;
    throw problems.notCompiled(outcome.text, outcome.diagnostics);
  }

  private async resource(id: string): Promise<ModelResource | undefined> {
    const text = await this.store.readModelResource(id);
    const resource: unknown = text === undefined ? undefined : JSON.parse(text);
    return Value.Check(ModelSchema, resource) ? resource : undefined;
  }

  private async read(id: string): Promise<CompiledModel | undefined> {
    const files = (await this.store.readCompiled(id, this.engine)) ?? (await this.compileAgain(id));
    if (files === undefined) return undefined;
    const module = await WebAssembly.compile(new Uint8Array(files.wasm));
    return { id, artifact: files.artifact, module };
  }

  /** Compiles a model that an engine of another build has left in the store. */
  private async compileAgain(id: string): Promise<CompiledFiles | undefined> {
    const program = await this.store.readProgram(id);
    if (program === undefined) return undefined;
    const compiled = await this.compileProgram(program);
    await this.store.saveCompiled(id, this.engine, compiled);
    return compiled;
  }
}

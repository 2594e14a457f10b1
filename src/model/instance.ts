import type { Artifact, Site } from '../wasm/artifact.js';
import { MemoryShortage, ModelError, OutOfMemory, RecursionError, RegionFull, Rejection } from './errors.js';
import { exportedFunctions, type Functions } from './exports.js';
import { leaveMemory, MAXIMUM_PAGES, PAGE, takeMemory } from './memories.js';
import { LONGEST_FAILURE, LONGEST_PRINTED, Printing } from './printing.js';
import { Profiles } from './profiles.js';
import { movedBy, type Region } from './region.js';
import { failureText, innermostOf, openCalls, siteText, stretchText } from './report.js';

const FIRST_ARENA = 1 << 18;
const FIRST_TAPE = 1 << 16;
/** Maximum number of bytes by which memory grows beyond the requirement. Growing copies nothing, so it takes only microseconds. */
const MOST_SPARE = 1 << 24;
/** Bytes at the start of a region for intermediate values of kernels. Outside of regions, these have static memory. */
const SCRATCH = 49152;

/** Thrown through the module when the arena of a gradient is full. The adjoints follow the arena, so it cannot grow in place. */
class ArenaFull {
  readonly end: number;
  readonly site: number;
  constructor(end: number, site: number) {
    this.end = end;
    this.site = site;
  }
}

/** The services that an instance requires from its host. */
export interface InstanceHost {
  readonly print: (text: string) => void;
  /** Maximum memory in bytes. */
  readonly maximumMemory: number;
  readonly claimMemory: (bytes: number) => boolean;
  /**
   * The region of a shared memory in which the instance runs; requires modules for shared memories. By default, an instance has its own
   * memory.
   */
  readonly region?: Region | undefined;
}

/**
 * A compiled module with its memory: data, the arena of an evaluation, the adjoints at a fixed distance from it, and the tape at the end.
 * If the arena is too small, it grows and the evaluation is repeated, so that later evaluations allocate nothing.
 */
export class Instance {
  readonly memory: WebAssembly.Memory;
  readonly functions: Functions;
  readonly profiles = new Profiles();
  /** The artifact, with the addresses of this instance. */
  readonly artifact: Artifact;
  readonly region: Region | undefined;
  /** The first address for data. */
  readonly free: number;
  readonly #linear: WebAssembly.Exports;
  readonly #exports: WebAssembly.Exports;
  readonly #claimMemory: (bytes: number) => boolean;
  readonly #maximumPages: number;
  /** The end of the memory that the instance may use. */
  #end = 0;
  #start = 0;
  #reserved = 0;
  #moves = 0;
  #arenaBytes = FIRST_ARENA;
  /** Whether the arena of the running function can grow in place. It cannot in gradients. */
  #growsInPlace = false;
  /** Whether printed text and profiles are discarded. */
  #isSilent = false;
  /** Holds the output of the running gradient; discarded when the gradient is repeated. */
  readonly #printing: Printing;
  /** The latest failure in code whose checks run in a different order than in the program. */
  #reordered: Rejection | ModelError | null = null;
  #isClosed = false;

  constructor(artifact: Artifact, module: WebAssembly.Module, linear: WebAssembly.Module, host: InstanceHost) {
    const { claimMemory, maximumMemory, print, region } = host;
    const { free, randomState } = artifact.layout;
    const control = region === undefined ? 0 : region.start + SCRATCH - randomState;
    this.artifact = control === 0 ? artifact : movedBy(control, artifact);
    this.region = region;
    this.free = free + control;
    this.#printing = new Printing(print);
    this.#claimMemory = claimMemory;
    this.#maximumPages = Math.min(MAXIMUM_PAGES, Math.floor(maximumMemory / PAGE));
    const start = region?.start ?? 0;
    const initial = Math.ceil((this.free - start) / PAGE) + 1;
    this.#claim(initial);
    this.#end = start + initial * PAGE;
    this.memory = region?.memory ?? takeMemory(initial);
    // An earlier instance may have used the region.
    if (region !== undefined) new Uint8Array(this.memory.buffer).fill(0, start, this.free);
    const abort = (): never => {
      throw new ModelError('a numeric kernel has failed');
    };
    this.#linear = new WebAssembly.Instance(linear, { env: { memory: this.memory, abort } }).exports;
    const instance = new WebAssembly.Instance(module, {
      env: {
        memory: this.memory,
        report: (site) => this.#report(site),
        reserve: (end, region, site) => this.#reserve(end, region, site),
      },
      linear: this.#linear,
    });
    this.#exports = instance.exports;
    if (region !== undefined) this.#useRegion(control, region);
    this.functions = exportedFunctions((name) => {
      const f = instance.exports[name];
      return typeof f === 'function' ? f : null;
    }, artifact.steps);
  }

  #useRegion(control: number, { start }: Region): void {
    const global = this.#exports.control;
    if (!(global instanceof WebAssembly.Global)) throw new Error('the module lacks the global control');
    global.value = control;
    if (this.linearFunction('use_scratch')(start, SCRATCH) === 0) throw new Error('kernels need more scratch memory');
  }

  /** Releases the memory of the instance, or its region of a shared memory. The instance must not be used afterwards. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#moves++;
    if (this.region === undefined) leaveMemory(this.memory);
    else this.region.release();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Number of bytes of memory that the instance occupies. */
  get bytes(): number {
    return this.#end - (this.region?.start ?? 0);
  }

  /** Distance from a value in the arena to its adjoint. */
  get distance(): number {
    return this.#arenaBytes;
  }

  /** The number of times that memory has grown or adjoints have moved. Views of memory are valid while this is unchanged. */
  get moves(): number {
    return this.#moves;
  }

  /** Calls an export of the kernel module. */
  linearFunction(name: string): (...values: number[]) => number {
    const f = this.#linear[name];
    if (typeof f !== 'function') throw new Error(`linear.wasm lacks ${name}`);
    return f;
  }

  /** The exported globals of the module, `count` of them. */
  globals(count: number): { value: number | bigint }[] {
    return Array.from({ length: count }, (_, k) => {
      const global = this.#exports[String(k)];
      if (!(global instanceof WebAssembly.Global)) throw new Error(`the module lacks global ${k}`);
      return global;
    });
  }

  /** Number of bytes that the first evaluations do not use, if all memory before `top` is in use. */
  spareBytes(top: number): number {
    return this.#end - (top + 2 * this.#arenaBytes + FIRST_TAPE);
  }

  /** Extends memory to at least `end`. */
  ensure(end: number): void {
    const missing = Math.ceil(end / PAGE) - this.#end / PAGE;
    if (missing <= 0) return;
    const { region } = this;
    // Shared data count, so that the limit does not depend on where the model runs.
    const needed = region === undefined ? end : region.shared + end - region.start;
    if (Math.ceil(needed / PAGE) > this.#maximumPages) {
      throw new OutOfMemory(`the model needs more memory than the limit of ${this.#maximumPages * PAGE} bytes`);
    }
    if (region?.extend(end) === false) throw new RegionFull('there is not enough memory for the model');
    this.#claim(missing);
    this.#moves++;
    const reached = this.#end + missing * PAGE;
    if (region === undefined) this.#grow(reached);
    this.#end = reached;
  }

  /** Grows memory to `end`, unless an earlier instance already has. */
  #grow(end: number): void {
    const missing = (end - this.memory.buffer.byteLength) / PAGE;
    if (missing <= 0) return;
    try {
      this.memory.grow(missing);
    } catch {
      throw new OutOfMemory('there is not enough memory for the model');
    }
  }

  /** The address up to which memory can grow without further units of the region. */
  get #reach(): number {
    const { region } = this;
    const limit = this.#maximumPages * PAGE;
    return region === undefined ? limit : Math.min(region.end, limit - region.shared + region.start);
  }

  #claim(pages: number): void {
    if (!this.#claimMemory(pages * PAGE)) throw new MemoryShortage('there is no memory for the model at present');
  }

  /**
   * Starts the arena at `start`, with its first `reserved` bytes permanently allocated. Each adjoint is `distance` bytes after its value.
   */
  layOut(start: number, reserved: number, bytes = this.#arenaBytes): void {
    const arenaBytes = Math.max(2 * reserved, bytes);
    this.ensure(start + 2 * arenaBytes + FIRST_TAPE);
    this.#start = start;
    this.#reserved = reserved;
    this.#arenaBytes = arenaBytes;
    this.#moves++;
    this.#setArena();
  }

  #setArena(): void {
    const limit = this.#start + this.#arenaBytes;
    const base = this.#start + this.#reserved;
    this.functions.arena(base, limit, this.#arenaBytes, limit + this.#arenaBytes, this.#end);
  }

  /** Runs code of the module. Translates its errors to `Rejection` or `ModelError`. */
  run(evaluate: () => number): number {
    this.#growsInPlace = true;
    try {
      return evaluate();
    } catch (error) {
      throw this.#translate(error);
    } finally {
      this.#growsInPlace = false;
    }
  }

  /** Computes outputs from the position. Like `run`, but without a closure, because it is called for every draw. */
  generate(flags: number): void {
    this.#growsInPlace = true;
    try {
      this.functions.generate(flags);
    } catch (error) {
      throw this.#translate(error);
    } finally {
      this.#growsInPlace = false;
    }
  }

  /** Evaluates the density. */
  logDensity(flags: number): number {
    try {
      return this.run(() => this.functions.log_density(flags));
    } catch (error) {
      throw this.#inProgramOrder(error, flags);
    }
  }

  /** Number of printed texts that were omitted because of their total size. */
  get omittedPrints(): number {
    return this.#printing.omitted;
  }

  /** Evaluates the density and its gradient; retries with a larger arena if it was too small. */
  logDensityGradient(flags: number): number {
    try {
      const value = this.functions.log_density_gradient(flags);
      this.#printing.release();
      return value;
    } catch (error) {
      return this.#gradientAfter(error, flags);
    }
  }

  /** Repeats an evaluation that has thrown. A separate method, so that the code that calls the module stays small. */
  #gradientAfter(error: unknown, flags: number): number {
    try {
      this.#recover(error);
      return this.#withAdjoints(this.functions.log_density_gradient, flags);
    } catch (last) {
      throw this.#inProgramOrder(last, flags);
    }
  }

  /** The error to throw for a failure of the optimized density: the first failure in the order of the program. */
  #inProgramOrder(error: unknown, flags: number): unknown {
    if (error !== this.#reordered) return error;
    this.#isSilent = true;
    try {
      this.run(() => this.functions.log_density_unoptimized(flags));
    } catch (first) {
      if (first instanceof Rejection || (first instanceof ModelError && !(first instanceof OutOfMemory))) return first;
    } finally {
      this.#isSilent = false;
    }
    return error;
  }

  /** Computes the derivative along the direction, and the product of the Hessian and the direction. Discards printed text and profiles. */
  hessianProduct(flags: number): number {
    const { hessian } = this.functions;
    if (hessian === null) throw new Error('the module has no second derivatives');
    this.#isSilent = true;
    try {
      return this.#withAdjoints(hessian.product, flags);
    } finally {
      this.#isSilent = false;
    }
  }

  /** Evaluates the density and counts the executions of its blocks. Discards printed text and profiles. */
  countExecutions(flags: number): void {
    const { steps } = this.functions;
    if (steps === null) throw new Error('the module counts no executions');
    this.#isSilent = true;
    try {
      this.run(() => steps.count(flags));
    } finally {
      this.#isSilent = false;
    }
  }

  /** Evaluates the gradient of the first `count` steps `times` times at the position. Discards printed text and profiles. */
  repeatGradient(count: number, times: number, flags: number): void {
    const gradient = this.functions.steps?.gradients[count];
    if (gradient === undefined) throw new Error(`the module has no gradient of ${count} steps`);
    this.#isSilent = true;
    try {
      this.#withAdjoints(gradient, flags);
      for (let k = 1; k < times; k++) gradient(flags);
    } finally {
      this.#isSilent = false;
    }
  }

  #withAdjoints(evaluate: (flags: number) => number, flags: number): number {
    for (;;) {
      try {
        const value = evaluate(flags);
        this.#printing.release();
        return value;
      } catch (error) {
        this.#recover(error);
      }
    }
  }

  /** Enlarges the arena if the error requires that; throws all others. */
  #recover(error: unknown): void {
    if (error instanceof ArenaFull) {
      this.#enlargeArena(error);
      return;
    }
    this.#printing.release();
    throw this.#translate(error);
  }

  #enlargeArena({ end, site }: ArenaFull): void {
    this.#printing.discard();
    const bytes = Math.max(2 * this.#arenaBytes, align(1.25 * (end - this.#start), 16));
    try {
      this.#at(site, () => this.layOut(this.#start, this.#reserved, bytes));
    } catch (error) {
      this.#printing.release();
      throw error;
    }
  }

  /** Translates an error of the engine that runs the module. */
  #translate(error: unknown): unknown {
    if (error instanceof RangeError && /call stack/i.test(error.message)) {
      const [innermost] = openCalls(this.artifact, this.memory.buffer);
      const where = innermost === undefined ? '' : stretchText(innermost);
      return new RecursionError(
        `Exception: the program recurses too deeply: more calls are open at once than the stack has room for${where}`,
        innermost,
      );
    }
    if (error instanceof WebAssembly.RuntimeError) return new ModelError(`Exception: ${error.message}`);
    return error;
  }

  #reserve(end: number, region: number, site: number): number {
    if (region === 0 && !this.#growsInPlace) throw new ArenaFull(end, site);
    if (this.#end < end) {
      const spare = Math.min(this.bytes / 8, MOST_SPARE);
      const more = this.#end + spare;
      this.#at(site, () => this.ensure(end));
      this.ensure(Math.min(more, this.#reach));
      this.#setArena();
    }
    return this.#end | 0;
  }

  /** Provides memory for an allocation at a site, which is -1 if unknown. A failure reports the location. */
  #at(site: number, makeRoom: () => void): void {
    try {
      makeRoom();
    } catch (error) {
      if (site < 0 || !(error instanceof OutOfMemory) || error instanceof RegionFull) throw error;
      const calls = openCalls(this.artifact, this.memory.buffer);
      const failing = this.artifact.sites[site];
      throw new OutOfMemory(failureText(error.message, failing, calls), innermostOf(failing, calls));
    }
  }

  #report(number: number): void {
    const site = this.artifact.sites[number];
    if (this.#isSilent && (site.kind === 'print' || site.kind === 'profile')) return;
    if (site.profile !== undefined) {
      this.profiles.mark(site.profile);
      return;
    }
    if (site.kind === 'print') {
      this.#printSite(site);
      return;
    }
    const text = siteText(site, this.memory.buffer, this.artifact.layout.values, LONGEST_FAILURE);
    const calls = openCalls(this.artifact, this.memory.buffer);
    const message = failureText(text, site, calls);
    const place = innermostOf(site, calls);
    const failure = site.kind === 'rejection' ? new Rejection(message, place) : new ModelError(message, place);
    if (site.isReordered === true) this.#reordered = failure;
    throw failure;
  }

  #printSite(site: Site): void {
    const isFinal = this.#growsInPlace;
    if (this.#printing.isFull) {
      this.#printing.omit(!isFinal);
      return;
    }
    const text = `${siteText(site, this.memory.buffer, this.artifact.layout.values, LONGEST_PRINTED)}\n`;
    if (isFinal) this.#printing.show(text, site.once ?? false);
    else this.#printing.hold(text, site.once ?? false);
  }
}

/** `value` rounded up to a multiple of `unit`. */
export function align(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}

/** Binding: once per data set, writes data to the memory of an instance and computes what depends on them alone. */

import type { JsonData } from '../formats/stan-json.js';
import type { Artifact, Stretch } from '../wasm/artifact.js';
import { DataLoader } from './data.js';
import { ModelError, OutOfMemory, Rejection } from './errors.js';
import { align, Instance } from './instance.js';
import type { Profile } from './profiles.js';
import { Region, type SharedMemory, shareMemory } from './region.js';

export interface InstantiateOptions {
  /** Seed of random numbers in transformed data. */
  readonly seed: number;
  /** Receives what the program prints, each text with its newline. */
  readonly print: (text: string) => void;
  /** Maximum bytes of the instance's memory; by default 2 GiB. */
  readonly maximumMemory?: number;
  /** Called before the instance grows by `bytes`. If it returns false, the evaluation throws `MemoryShortage`. */
  readonly claimMemory?: (bytes: number) => boolean;
  /** Called when `bytes` claimed bytes have been freed. */
  readonly returnMemory?: (bytes: number) => void;
}

/** A compiled program. `linear` is the module of linear-algebra kernels. */
export interface Program {
  readonly artifact: Artifact;
  readonly module: WebAssembly.Module;
  readonly linear: WebAssembly.Module;
}

/** An instance whose `prepare` and `precompute` have run. */
export interface Binding {
  readonly instance: Instance;
  /** First address after the data and the values that depend on them alone. */
  readonly top: number;
  /** The failure of `precompute`. */
  readonly obstacle: Rejection | ModelError | null;
  readonly seed: number;
  /** Output of transformed data. */
  readonly printed: readonly string[];
}

/** A binding without its instance, from which instances can start on any thread. It survives structured cloning. */
export interface BoundData {
  /** The instance's memory from the control area to `top`; shared between threads if the host has shared memory. */
  readonly memory: Uint8Array;
  readonly globals: Float64Array;
  readonly obstacle: {
    readonly kind: 'rejection' | 'error' | 'memory';
    readonly message: string;
    readonly place: Stretch | undefined;
  } | null;
  readonly seed: number;
  readonly printed: readonly string[];
  /** Times of `profile` blocks in transformed data. */
  readonly profiles: readonly Profile[];
  /** Set if integration does not pay with these data: see `IntegrationLayout`. */
  readonly declinedFactor?: number;
  /** Set if `memory` is the start of a memory in which instances can run. */
  readonly shared?: SharedMemory;
}

const DEFAULT_MAXIMUM_MEMORY = 2 ** 31;
/**
 * Maximum number of bytes that binding may leave unused in an instance's memory, which cannot shrink. If more are unused, the data move to
 * a new instance.
 */
const MOST_UNUSED = 1 << 22;
/** Minimum number of bytes of bound data that instances share. */
const LEAST_SHARED = 1 << 20;

/** Binds data to a new instance. Throws `ModelError` with Stan's message if the data do not match their declarations. */
export function bind(program: Program, data: JsonData, options: InstantiateOptions): Binding {
  const { binding, freed } = bindCompactly(program, data, options);
  // The first instance is unreachable here, so that its memory can be collected.
  if (freed > 0) options.returnMemory?.(freed);
  return binding;
}

/** The binding, and the number of bytes of an instance that is no longer used. */
function bindCompactly(program: Program, data: JsonData, options: InstantiateOptions) {
  const binding = bindFirst(program, data, options);
  const { instance, top } = binding;
  if (instance.spareBytes(top) <= MOST_UNUSED) return { binding, freed: 0 };
  // Both instances exist only during the copy. The second uses the memory that the first has claimed.
  let claimed = instance.bytes;
  const claimMemory = (bytes: number): boolean => {
    if (bytes > claimed) return options.claimMemory?.(bytes) ?? true;
    claimed -= bytes;
    return true;
  };
  const moved = move(program, binding, { ...options, claimMemory });
  if (moved === undefined) return { binding, freed: 0 };
  const freed = claimed;
  claimed = 0;
  return { binding: moved, freed };
}

function bindFirst(program: Program, data: JsonData, options: InstantiateOptions): Binding {
  let isBinding = true;
  const printed: string[] = [];
  const print = (text: string): void => {
    if (isBinding) printed.push(text);
    options.print(text);
  };
  const instance = newInstance(program, { ...options, print });
  const loader = new DataLoader(instance, program.artifact);
  loader.write(data);
  const prepared = prepare(instance, program.artifact, loader, options.seed);
  const precomputed = precompute(instance, prepared);
  isBinding = false;
  const common = { instance, seed: options.seed, printed };
  if (typeof precomputed === 'number') return { ...common, top: precomputed, obstacle: null };
  return { ...common, top: prepared, obstacle: precomputed };
}

/** Creates an instance. `region` is its region of a shared memory, for modules with shared memory. */
function newInstance({ artifact, module, linear }: Program, options: InstantiateOptions, region?: Region): Instance {
  const { print, claimMemory = () => true, maximumMemory = DEFAULT_MAXIMUM_MEMORY } = options;
  return new Instance(artifact, module, linear, { print, maximumMemory, claimMemory, region });
}

/** Checks the data and computes transformed data. Returns the first free address. */
function prepare(instance: Instance, artifact: Artifact, loader: DataLoader, seed: number): number {
  instance.layOut(align(loader.end, 64), 0);
  for (;;) {
    instance.linearFunction('rng_seed')(artifact.layout.randomState, seed, 0);
    try {
      return instance.run(() => instance.functions.prepare()) >>> 0;
    } catch (error) {
      loader.correct(error);
    }
  }
}

/** Computes the values in densities that depend on data alone. Returns the first free address, or the reason for a failure. */
function precompute(instance: Instance, free: number): number | Rejection | ModelError {
  instance.layOut(align(free, 64), 0);
  try {
    return instance.run(() => instance.functions.precompute()) >>> 0;
  } catch (error) {
    if (error instanceof Rejection || error instanceof ModelError) return error;
    throw error;
  }
}

/** The binding in an instance without the memory that only binding needs; undefined if memory for both is not available. */
function move(program: Program, binding: Binding, options: InstantiateOptions): Binding | undefined {
  const state = stateOf(program.artifact, binding);
  if (state === undefined) return undefined;
  try {
    const instance = newInstance(program, options);
    writeState(program.artifact, instance, state);
    for (const profile of binding.instance.profiles.list()) instance.profiles.add(profile);
    return { ...binding, instance };
  } catch (error) {
    if (error instanceof OutOfMemory || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * A copy of the bound data; undefined if the module has an earlier version, if no memory is available, or if `mayCopy` returns false for
 * the number of bytes.
 */
export function boundData(
  artifact: Artifact,
  binding: Binding,
  mayCopy: (bytes: number) => boolean = () => true,
): BoundData | undefined {
  const state = stateOf(artifact, binding);
  if (state === undefined || !mayCopy(state.memory.length)) return undefined;
  const { instance, obstacle, printed, seed } = binding;
  try {
    const globals = Float64Array.from(state.globals);
    const { memory, shared } = copied(artifact, state.memory);
    const { declinedFactor } = artifact.integration ?? {};
    const data = {
      memory,
      globals,
      obstacle: portable(obstacle),
      seed,
      printed,
      profiles: instance.profiles.list(),
      ...(declinedFactor !== undefined && { declinedFactor }),
    };
    return shared === undefined ? data : { ...data, shared };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A copy of the memory of bound data. If the data are large, it is a memory in which instances can run. */
function copied(artifact: Artifact, bytes: Uint8Array): Pick<BoundData, 'memory' | 'shared'> {
  const { randomState } = artifact.layout;
  const shared = bytes.length >= LEAST_SHARED && canMove(artifact) ? shareMemory(bytes, randomState) : undefined;
  if (shared !== undefined) return { memory: new Uint8Array(shared.memory.buffer, randomState, bytes.length), shared };
  const memory = new Uint8Array(newBuffer(bytes.length));
  memory.set(bytes);
  return { memory };
}

/**
 * Whether a model can be replaced by another model of the same data between and during evaluations, because nothing else depends on its
 * addresses or output.
 */
function canMove({ centering, hessian, integration, layout, sites, steps }: Artifact): boolean {
  const isWhole = integration === undefined || integration.integrated.length === 0;
  const isAlone = centering === undefined && hessian === undefined && isWhole && steps === undefined;
  const isSilent = sites.every(({ kind, profile }) => kind !== 'print' && profile === undefined);
  return layout.isMovable === true && isAlone && isSilent;
}

/** A new instance of the program to which the data were bound, with a copy of the data. Repeats the output of binding. */
export function rebind(program: Program, bound: BoundData, options: Omit<InstantiateOptions, 'seed'>): Binding {
  const { globals, memory, obstacle, printed, profiles, seed } = bound;
  const instance = newInstance(program, { ...options, seed });
  writeState(program.artifact, instance, { memory, globals });
  for (const profile of profiles) instance.profiles.add(profile);
  for (const text of printed) options.print(text);
  const { randomState } = program.artifact.layout;
  return { instance, top: randomState + memory.length, obstacle: obstacle && errorOf(obstacle), seed, printed };
}

/**
 * A new instance in the memory of the bound data; undefined if no region is free. `program` must have modules for shared memories. Throws
 * `RegionFull` if the region is too small.
 */
export function rebindInPlace(
  program: Program,
  { globals, memory, obstacle, printed, seed }: BoundData,
  shared: SharedMemory,
  options: Omit<InstantiateOptions, 'seed'>,
): Binding | undefined {
  const region = Region.take(shared);
  if (region === undefined) return undefined;
  const { free, randomState } = program.artifact.layout;
  try {
    const instance = newInstance(program, { ...options, seed }, region);
    const control = memory.subarray(0, free - randomState);
    new Uint8Array(instance.memory.buffer).set(control, instance.artifact.layout.randomState);
    setGlobals(instance, globals);
    return { instance, top: instance.free, obstacle: obstacle && errorOf(obstacle), seed, printed };
  } catch (error) {
    region.release();
    throw error;
  }
}

/** The state of an instance after binding: a view of its memory, and its globals. */
type State = Pick<BoundData, 'memory'> & { readonly globals: Iterable<number> };

function stateOf({ layout }: Artifact, { instance, top }: Binding): State | undefined {
  const { globals, randomState } = layout;
  // An instance in a region does not contain the data.
  if (globals === undefined || instance.region !== undefined) return undefined;
  const memory = new Uint8Array(instance.memory.buffer, randomState, top - randomState);
  return { memory, globals: instance.globals(globals).map(({ value }) => Number(value)) };
}

function writeState({ layout }: Artifact, instance: Instance, { globals, memory }: State): void {
  const { randomState } = layout;
  instance.ensure(randomState + memory.length);
  new Uint8Array(instance.memory.buffer).set(memory, randomState);
  setGlobals(instance, globals);
}

function setGlobals(instance: Instance, globals: Iterable<number>): void {
  const values = [...globals];
  for (const [k, global] of instance.globals(values.length).entries()) global.value = values[k];
}

function newBuffer(bytes: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}

function portable(obstacle: Binding['obstacle']): BoundData['obstacle'] {
  if (obstacle === null) return null;
  const { message } = obstacle;
  const place = obstacle.place && { begin: obstacle.place.begin, end: obstacle.place.end };
  if (obstacle instanceof OutOfMemory) return { kind: 'memory', message, place };
  return { kind: obstacle instanceof Rejection ? 'rejection' : 'error', message, place };
}

function errorOf({ kind, message, place }: NonNullable<BoundData['obstacle']>): Rejection | ModelError {
  if (kind === 'memory') return new OutOfMemory(message, place);
  return kind === 'rejection' ? new Rejection(message, place) : new ModelError(message, place);
}

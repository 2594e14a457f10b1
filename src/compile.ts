import { check } from './check/check.js';
import { Sources } from './dataflow/sources.js';
import type { FunctionTable } from './functions/table.js';
import { FUNCTIONS } from './functions/table.js';
import { differentiate, TooManyVariants } from './gradient/differentiate.js';
import { directionalDerivative } from './gradient/forward/directional.js';
import { NoTangent } from './gradient/forward/missing-derivatives.js';
import { stepsOf } from './gradient/steps.js';
import { valueAlone } from './gradient/value.js';
import { type Integrated, lowerIntegrated } from './integrate.js';
import { Builder, Names } from './ir/builder.js';
import type { Block, IrFunction, IrProgram, Ref } from './ir/nodes.js';
import { withoutAssembledArrays } from './lower/assembled-arrays.js';
import { type LowerOptions, lower } from './lower/lower.js';
import { withWholeArrays } from './lower/whole-arrays.js';
import { addingStatements } from './optimize/decisions.js';
import type { Part, PassName } from './optimize/passes.js';
import { type Observer, PassRunner, type PassTime } from './optimize/runner.js';
import { callsOf } from './optimize/simplify/inline-calls.js';
import { sliceRows } from './optimize/slices/slice-rows.js';
import { sliceWork, totalWork } from './optimize/slices/slice-work.js';
import { type Diagnostic, errorAt, type Message } from './source/diagnostic.js';
import { renderDiagnostic } from './source/render.js';
import { type Span, startOf } from './source/span.js';
import { parse } from './syntax/parse.js';
import type { Artifact } from './wasm/artifact.js';
import { FunctionTooLarge } from './wasm/code.js';
import { withCustomSection } from './wasm/custom-section.js';
import { type Emitted, emit } from './wasm/emit.js';
import type { EmittedHessian, EmittedProfile } from './wasm/emit-input.js';
import type { KernelLibrary } from './wasm/kernels.js';

export interface CompileOptions {
  /** The program's name in messages; Stan uses `string` if there is no file. */
  readonly name?: string;
  readonly includes?: ReadonlyMap<string, string>;
  readonly functions?: FunctionTable;
  /** Whether the module contains every check of an index or a size, including those that are proven to hold. For tests of the proofs. */
  readonly keepsChecks?: boolean;
  /**
   * Whether user functions are called wherever possible, and not only where inlining them would make a program large. For tests of calls.
   */
  readonly callsAll?: boolean;
  /**
   * Whether the module includes second derivatives of the log density, if they can be compiled (see `Artifact.hessian`). Values of the log
   * density are unchanged; gradients differ in the last digits if the program solves implicit equations.
   */
  readonly secondDerivatives?: boolean;
  /**
   * Whether unconstrained parameters whose priors have a location and a scale get partially centered coordinates, which the host chooses
   * (see `Artifact.centering`). Names, draws and the posterior are unchanged.
   */
  readonly reparameterizes?: boolean;
  /**
   * Whether parameters that are normally distributed given the others are integrated out (see `Artifact.integration`). Draws and the posterior
   * are unchanged, but such parameters are not part of the unconstrained position.
   */
  readonly integrates?: boolean;
  /** The same, unless the program has no effects of groups, walks or other processes: coefficients of a regression are sampled. */
  readonly integratesEffects?: boolean;
  /**
   * Whether the module includes gradients of parts of the log density, whose times yield the times of its statements (see
   * `Artifact.steps`).
   */
  readonly profiles?: boolean;
  /** Whether the log density can be evaluated as a sum of slices (`optimize/slices/slice-rows.ts`). */
  readonly slices?: boolean;
  /** Passes that do not run. */
  readonly without?: readonly PassName[];
  /** Receives the IR after each pass, and after the stages `lower`, `differentiate` and `directionalDerivative`. */
  readonly observe?: Observer;
}

export interface Stage {
  readonly name: string;
  readonly milliseconds: number;
}

export interface CompileSuccess {
  readonly artifact: Artifact;
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly warnings: readonly Diagnostic[];
  readonly stages: readonly Stage[];
  /** The times of passes, which belong to the stages `optimize`, `differentiate` and `second derivatives`. */
  readonly passes: readonly PassTime[];
}

export interface CompileFailure {
  readonly diagnostics: readonly Diagnostic[];
  /** All diagnostics as text: location, source excerpt, message. */
  readonly text: string;
}

export type CompileResult = CompileSuccess | CompileFailure;

export function isCompiled(result: CompileResult): result is CompileSuccess {
  return 'wasm' in result;
}

/** Maximum size of a module. Programs of thousands of statements reach a tenth of it. */
const MAX_MODULE_BYTES = 16 * 2 ** 20;

/**
 * Compiles a Stan program to a WebAssembly module: parse, check, lower, optimize, differentiate, emit. A module that would be too large with the
 * options of a run is compiled without them. Returns diagnostics for an invalid program. Throws only for bugs in the compiler.
 */
export function compile(text: string, kernels: KernelLibrary, options: CompileOptions = {}): CompileResult {
  const result = compileOnce(text, kernels, options);
  if (isCompiled(result)) return withAlternative(result, () => compile(text, kernels, { ...options, ...WHOLE }));
  // Errors of the program itself do not depend on the options.
  if (result.diagnostics.every(({ kind }) => kind !== 'unsupported')) return result;
  const { secondDerivatives, reparameterizes, integrates, integratesEffects, slices } = options;
  if (secondDerivatives === true) {
    const { source } = byDifferences('the module would be too large');
    const plain = compile(text, kernels, { ...options, secondDerivatives: false });
    return isCompiled(plain) ? { ...plain, artifact: { ...plain.artifact, hessian: source } } : plain;
  }
  if (![reparameterizes, integrates, integratesEffects, slices].includes(true)) return result;
  return compileOnce(text, kernels, { ...options, ...WHOLE, reparameterizes: false, slices: false });
}

/** No parameter is integrated out. */
const WHOLE: CompileOptions = { integrates: false, integratesEffects: false };

/** The section with the module that `withAlternative` adds. */
const ALTERNATIVE = 'alternative';

/** Adds the module without integrated parameters, which a host uses if integration does not pay with its data. */
function withAlternative(result: CompileSuccess, compilePlain: () => CompileResult): CompileSuccess {
  const { artifact, wasm } = result;
  const { integration } = artifact;
  if (integration?.isOpen !== true) return result;
  const plain = compilePlain();
  if (!isCompiled(plain)) return result;
  return {
    ...result,
    artifact: {
      ...artifact,
      integration: { ...integration, alternative: { artifact: plain.artifact, section: ALTERNATIVE } },
    },
    wasm: withCustomSection(wasm, ALTERNATIVE, plain.wasm),
    stages: [...result.stages, ...plain.stages],
    passes: [...result.passes, ...plain.passes],
  };
}

function compileOnce(text: string, kernels: KernelLibrary, options: CompileOptions): CompileResult {
  try {
    return compileStages(text, kernels, options);
  } catch (error) {
    // The maximum depth depends only on the size of the thread's stack.
    if (!(error instanceof RangeError && error.message.startsWith('Maximum call stack'))) throw error;
    const start = startOf({ name: options.name ?? 'string', text });
    return failure([errorAt('unsupported', { begin: start, end: start }, TOO_DEEP)]);
  }
}

const TOO_DEEP: Message = { code: 'nested-too-deeply', text: 'The program is nested too deeply.' };

function compileStages(text: string, kernels: KernelLibrary, options: CompileOptions): CompileResult {
  const {
    name = 'string',
    includes = new Map(),
    functions = FUNCTIONS,
    keepsChecks = false,
    callsAll = false,
    secondDerivatives = false,
    reparameterizes = false,
    integrates = false,
    integratesEffects = false,
    profiles = false,
    slices = false,
    without = [],
    observe = () => {},
  } = options;
  const stages = new Stopwatch();

  const parsed = stages.time('parse', () => parse({ name, text }, includes));
  if ('diagnostics' in parsed) return failure(parsed.diagnostics);

  const isIntegrated = integrates || integratesEffects;
  const checked = stages.time('check', () =>
    check(isIntegrated ? withWholeArrays(withoutAssembledArrays(parsed.program)) : parsed.program, functions),
  );
  if ('diagnostics' in checked) return failure(checked.diagnostics);

  const sources = profiles ? new Sources() : null;
  const lowerOptions: LowerOptions = {
    modelName: name,
    keepsChecks,
    callsAll,
    secondDerivatives,
    reparameterizes,
    ...(sources && { observe: (statement, source) => sources.note(statement, source) }),
  };
  const lowered: Integrated = stages.time('lower', () => {
    if (isIntegrated) return lowerIntegrated(checked.program, functions, lowerOptions, !integrates);
    const names = new Names();
    return { names, ...lower(checked.program, functions, names, lowerOptions) };
  });
  if ('diagnostics' in lowered) return failure(lowered.diagnostics);
  const { names, program } = lowered;
  const { position, keepConstants, keepJacobian } = program;
  // Slices can divide only the rows of dense products.
  const left: readonly PassName[] = slices ? [...without, 'sparseProducts'] : without;
  const passes = new PassRunner(names, { keepsChecks, without: left, observe });
  const see = (name: string, part: Part, block: Block, functions = program.functions): void =>
    observe({ name, part, of: null, before: null, block, functions });
  see('lower', 'prepare', program.prepare);
  see('lower', 'log density', program.logDensity);
  see('lower', 'generated quantities', program.generate);
  see('lower', 'unconstrain', program.unconstrain);

  const places = program.centering === undefined ? [] : [program.centering.places];
  const inputs = [position, keepConstants, keepJacobian, ...places];
  const optimized = stages.time('optimize', () => {
    const { precompute, logDensity } = passes.logDensity(program.logDensity, inputs, program.functions);
    const called = callsOf(logDensity);
    const isShared = program.functions.some(({ id, inlined }) => inlined !== undefined && called.has(id));
    const partOf = ({ inlined }: IrFunction) => {
      if (inlined === undefined) return 'called function';
      return isShared ? 'shared function' : 'inlined function';
    };
    return {
      precompute: [...(program.statistics ?? []), ...precompute],
      logDensity,
      callees: program.functions.map((f) => passes.function(partOf(f), f, program.functions)),
      prepare: passes.block('prepare', program.prepare, program.functions),
      generate: passes.block('generated quantities', program.generate, program.functions),
      unconstrain: passes.block('unconstrain', program.unconstrain, program.functions),
    };
  });
  const { whole } = lowered;
  const integrationWork =
    whole &&
    stages.time('work', () => {
      const free = passes.logDensity(whole, inputs, program.functions);
      return {
        integrated: totalWork(names, [], optimized.logDensity),
        whole: totalWork(names, free.precompute, free.logDensity),
      };
    });
  const { precompute, callees, prepare, generate, unconstrain } = optimized;
  const sliced = slices ? stages.time('slice', () => slicesOf(names, optimized.logDensity, position)) : null;
  const logDensity = sliced?.logDensity ?? optimized.logDensity;
  if (sliced !== null) see('slice', 'log density', logDensity);
  const made = unlessTooLarge(checked.program.tree.span, () => {
    const {
      gradient,
      value,
      functions: differentiated,
    } = stages.time('differentiate', () => {
      const raw = differentiate(names, logDensity, [position], keepJacobian, callees);
      const called = [...callees, ...raw.functions];
      see('differentiate', 'gradient', raw.gradient, called);
      const functions = raw.functions.map((f) => passes.function('differentiated function', f, called));
      const gradient = passes.block('gradient', raw.gradient, called);
      return { functions, gradient, value: passes.block('value', valueAlone(gradient, raw.originals), called) };
    });
    const hessian = secondDerivatives
      ? stages.time('second derivatives', () => hessianOf(names, program, logDensity, callees, passes, see))
      : NO_HESSIAN;
    const profile =
      sources && stages.time('steps', () => profileOf(names, program, logDensity, callees, passes, sources));
    const functions = [...callees, ...differentiated, ...hessian.functions, ...(profile?.functions ?? [])];
    const emitted = {
      ...program,
      prepare,
      generate,
      unconstrain,
      globals: names.globals,
      ...(sliced !== null && { slicing: sliced.slicing }),
    };
    const work = sliced?.work ?? null;
    const input = {
      program: emitted,
      precompute,
      gradient,
      value,
      functions,
      hessian,
      work,
      ...(profile && { profile }),
      ...(lowered.choice && { integration: { ...lowered.choice, isOpen: whole !== undefined } }),
      ...(integrationWork && { integrationWork }),
    };
    return stages.time('emit', () => emit(input, kernels));
  });
  if ('message' in made) return failure([made]);
  const { artifact, wasm } = made;
  return {
    artifact,
    wasm,
    warnings: [...parsed.warnings, ...checked.warnings],
    stages: stages.stages,
    passes: passes.times,
  };
}

/** The log density in slices, and the blocks that estimate its work. */
function slicesOf(names: Names, block: Block, position: Ref) {
  const builder = new Builder(names);
  const slicing = {
    slice: builder.newLocal('int', 'slice', 'global'),
    slices: builder.newLocal('int', 'slices', 'global'),
  };
  const { divided, logDensity } = sliceRows(names, block, position, slicing);
  return { logDensity, slicing, work: sliceWork(names, block, divided) };
}

/** Second derivatives of a log density, and the functions that they call. */
type Hessian = EmittedHessian & { readonly functions: readonly IrFunction[] };

const NO_HESSIAN: Hessian = { source: undefined, product: null, functions: [] };

function byDifferences(reason: string): Hessian {
  return { ...NO_HESSIAN, source: { kind: 'differences', reason } };
}

/**
 * The product of the Hessian with a direction: the gradient of the directional derivative of the optimized log density (reverse over
 * forward mode).
 */
function hessianOf(
  names: Names,
  { position, keepJacobian, withoutSecondDerivatives }: IrProgram,
  logDensity: Block,
  callees: readonly IrFunction[],
  passes: PassRunner,
  see: (name: string, part: Part, block: Block, functions: readonly IrFunction[]) => void,
): Hessian {
  if (withoutSecondDerivatives !== undefined) return byDifferences(`${withoutSecondDerivatives} has none`);
  const direction = new Builder(names).newRef('real', 1, 'direction', 'global');
  try {
    const along = directionalDerivative(names, logDensity, position, direction, callees);
    see('directionalDerivative', 'directional derivative', along.block, along.functions);
    const known = along.functions.map((f, k) =>
      k < callees.length ? f : passes.function('called function', f, along.functions),
    );
    const directional = passes.block('directional derivative', along.block, known);
    const raw = differentiate(names, directional, [position], keepJacobian, known);
    const called = [...known, ...raw.functions];
    see('differentiate', 'Hessian product', raw.gradient, called);
    const functions = [...known, ...raw.functions.map((f) => passes.function('differentiated function', f, called))];
    const block = passes.block('Hessian product', raw.gradient, called);
    return { source: { kind: 'exact' }, product: { block, direction }, functions: functions.slice(callees.length) };
  } catch (error) {
    if (error instanceof NoTangent) return byDifferences(`${error.what} has none`);
    if (error instanceof TooManyVariants) return byDifferences(`${error.functionName} is called in too many ways`);
    throw error;
  }
}

/** The gradients of the log density up to the end of each of its steps, and the functions that they call. */
function profileOf(
  names: Names,
  { keepJacobian, logDensity: whole, position }: IrProgram,
  logDensity: Block,
  callees: readonly IrFunction[],
  passes: PassRunner,
  sources: Sources,
): EmittedProfile & { readonly functions: readonly IrFunction[] } {
  const { counted, counters, counts, steps } = stepsOf(names, logDensity, sources);
  const functions: IrFunction[] = [];
  const gradientOf = (prefix: Block): Block => {
    const raw = differentiate(names, prefix, [position], keepJacobian, callees);
    const called = [...callees, ...raw.functions];
    functions.push(...raw.functions.map((f) => passes.function('differentiated function', f, called)));
    return passes.block('gradient', raw.gradient, called);
  };
  const prefixes = [[], ...steps.flatMap(({ prefix }) => (prefix === null ? [] : [prefix]))].map(gradientOf);
  return { prefixes, steps, statements: addingStatements(whole), counted, counts, counters, functions };
}

/** The module, or a diagnostic if the module or one of its functions would be too large. */
function unlessTooLarge({ begin }: Span, make: () => Emitted): Emitted | Diagnostic {
  const refuse = (why: string, hint: string): Diagnostic =>
    errorAt(
      'unsupported',
      { begin, end: begin },
      { code: 'program-too-large', text: `The program is too large: ${why}.` },
      hint,
    );
  try {
    const emitted = make();
    if (emitted.wasm.length <= MAX_MODULE_BYTES) return emitted;
    const megabytes = Math.round(emitted.wasm.length / 2 ** 20);
    return refuse(
      `its module has ${megabytes} MiB; the limit is ${MAX_MODULE_BYTES / 2 ** 20}`,
      'Write repeated statements as loops.',
    );
  } catch (error) {
    if (error instanceof FunctionTooLarge) {
      const why = 'a block has more statements than a WebAssembly function can hold';
      return refuse(why, 'Write repeated statements as loops or shorten blocks.');
    }
    if (error instanceof TooManyVariants) {
      const why = `${error.functionName} is called with too many combinations of data and parameter arguments`;
      return refuse(why, 'Each combination is compiled separately: use fewer.');
    }
    throw error;
  }
}

function failure(diagnostics: readonly Diagnostic[]): CompileFailure {
  return { diagnostics, text: diagnostics.map(renderDiagnostic).join('\n') };
}

class Stopwatch {
  readonly stages: Stage[] = [];

  time<T>(name: string, run: () => T): T {
    const start = performance.now();
    try {
      return run();
    } finally {
      this.stages.push({ name, milliseconds: performance.now() - start });
    }
  }
}

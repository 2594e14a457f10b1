import type { Block, IrFunction, IrProgram, Ref, SlicedWork, Slicing, Statement } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { adjointRefs, visitOwnExpressions, visitStatements } from '../ir/walk.js';
import { isBefore, type Span, spanText } from '../source/span.js';
import type { Artifact, DataLayout, HessianSource, OutputLayout, StepsLayout } from './artifact.js';
import { Code } from './code.js';
import { ModuleContext, passedTypes, type Registers, type UserFunction } from './context.js';
import { ExpressionWriter } from './expressions.js';
import { Frame, type Purpose } from './frame.js';
import { defineClear, defineFill, defineTake } from './helpers.js';
import type { KernelLibrary } from './kernels.js';
import { ModuleWriter } from './module.js';
import { F64, I32, OP, type ValueType } from './opcodes.js';
import { siteValues, slotCount, stretchOf } from './sites.js';
import { writeBody } from './statements.js';

export interface EmitInput {
  readonly program: IrProgram;
  /** What `gradient` reads of data alone: runs once, after `prepare`. */
  readonly precompute: Block;
  /** The differentiated `logDensity`. */
  readonly gradient: Block;
  /** The value alone of `gradient`. */
  readonly value: Block;
  /** Every function that any of the blocks calls. */
  readonly functions: readonly IrFunction[];
  readonly hessian?: EmittedHessian;
  readonly profile?: EmittedProfile;
  /** Of a log density in slices. */
  readonly work?: SlicedWork | null;
}

/** Parts of the log density, whose times are compared, if they were requested. */
export interface EmittedProfile {
  /** Gradients of none of the steps, of the first one, and so on, without that of all. */
  readonly prefixes: readonly Block[];
  readonly steps: readonly { readonly parts: readonly EmittedPart[] }[];
  /** Statements of the program that add to `target`, of which some may be in no step. */
  readonly statements: readonly Span[];
  /** The log density, which counts the executions of its blocks. */
  readonly counted: Block;
  readonly counts: Ref;
  readonly counters: number;
}

interface EmittedPart {
  readonly source: Span;
  readonly weight: number;
  readonly counter: number | null;
}

/** Second derivatives, if they were requested. */
export interface EmittedHessian {
  /** Their description in the artifact. */
  readonly source: HessianSource | undefined;
  /** The differentiated derivative of `logDensity` along a direction. */
  readonly product: { readonly block: Block; readonly direction: Ref } | null;
}

export interface EmitOptions {
  /** Whether loops may run two iterations at a time; by default true. */
  readonly vectorize?: boolean;
}

export interface Emitted {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly artifact: Artifact;
}

/** Start of the module's area; the static data of the kernels is below. */
const CONTROL_AREA = 65536;
const RANDOM_STATE_BYTES = 256;
/** Maximum number of open calls in messages; further calls replace the oldest. */
const KNOWN_CALLS = 16384;

const FORWARD: Purpose = { differentiates: false, writesGlobals: false, isCallee: false, optimizes: true };
const REVERSE: Purpose = { ...FORWARD, differentiates: true };
/** Runs where an evaluation has failed. */
const UNOPTIMIZED: Purpose = { ...FORWARD, optimizes: false };

/**
 * Writes one wasm module for a program. Exports:
 *
 * | name                                                   | does                                                        |
 * |--------------------------------------------------------|-------------------------------------------------------------|
 * | `arena(base, limit, distance, tape, end)`                | sets the addresses of the arena, its adjoints and the tape   |
 * | `prepare() → top`                                       | takes the data from their slots, sets all globals, writes the outputs' sizes |
 * | `precompute() → top`                                    | after `prepare`, from `base` on: sets what the gradient reads of data alone. If it fails, `log_density_unoptimized` at any point reports the failure, and the next two must not be called |
 * | `bind(position, size, constrained, size)`                | sets where the host reads and writes parameters              |
 * | `log_density(flags) → value`                            | flags: 1 keeps constants, 2 keeps Jacobians; in a module in slices, 4 times the slice plus 1024 times the number of further slices |
 * | `log_density_gradient(flags) → value`                   | the gradient stands `distance` after the position            |
 * | `log_density_unoptimized(flags) → value`                 | the log density, statement by statement as it is written      |
 * | `generate(flags)`                                       | flags: 1 transformed parameters, 2 generated quantities       |
 * | `unconstrain()`                                         | position from constrained                                    |
 * | `bind_places(places, size, origins, size)`               | of a module with coordinates between centred and non-centred ones: where the host writes their places and reads locations and scales |
 * | `bind_direction(direction, size)`                       | of a module with second derivatives: where the host writes a direction |
 * | `divided_work(0) → value`, `shared_work(0) → value`        | of a module in slices: estimates of the work that is divided among them, and of that of each, in units of about a nanosecond |
 * | `hessian_product(flags) → value`                        | the log density's derivative along the direction; the Hessian times the direction replaces the gradient |
 * | `log_density_gradient_N(flags) → value`                 | of a module with steps: the gradient of the first N of them   |
 * | `bind_counts(counts, size)`                              | of a module with steps: where the next one counts             |
 * | `count_executions(flags) → value`                       | the log density; adds 1 to the counter of a block of statements whenever it begins |
 *
 * The globals that `prepare` and `precompute` share with the other functions are exported as `0`, `1`, …: with the memory, they are all that those two leave.
 *
 * Imports: `env.memory`, `env.report(site)`, `env.reserve(end, region, site)`, and the `linear` kernels that are used.
 */
export function emit(input: EmitInput, kernels: KernelLibrary, options: EmitOptions = {}): Emitted {
  const { program, precompute, gradient, value, functions, hessian, profile, work = null } = input;
  const { centring } = program;
  const product = hessian?.product ?? null;
  const blocks = [
    program.prepare,
    program.logDensity,
    precompute,
    gradient,
    value,
    program.generate,
    program.unconstrain,
    ...(product === null ? [] : [product.block]),
    ...(profile === undefined ? [] : [profile.counted, ...profile.prefixes]),
    ...(work === null ? [] : [work.divided, work.shared]),
    ...functions.map((f) => f.body),
  ];
  const statements: Statement[] = [];
  for (const block of blocks) visitStatements(block, (statement) => statements.push(statement));
  const layout = layOut(program, statements, functions.length > 0);

  const writer = new ModuleWriter();
  const imports = {
    report: writer.import('env', 'report', { parameters: [I32], results: [] }),
    reserve: writer.import('env', 'reserve', { parameters: [F64, I32, I32], results: [I32] }),
  };
  const linear = importLinear(writer, kernels, statements);
  const registers: Registers = {
    top: writer.global(I32),
    limit: writer.global(I32),
    base: writer.global(I32),
    distance: writer.global(I32),
    tape: writer.global(I32),
    tapeTop: writer.global(I32),
    end: writer.global(I32),
    arenaEnd: writer.global(I32),
  };
  const helpers = {
    take: defineTake(writer, registers, imports),
    clear: defineClear(writer),
    fillReal: defineFill(writer, F64),
    fillInt: defineFill(writer, I32),
  };
  const module = new ModuleContext({
    writer,
    kernels,
    program,
    registers,
    imports,
    linear,
    helpers,
    functions: declareFunctions(writer, functions),
    randomState: layout.memory.randomState,
    values: layout.memory.values,
    calls: layout.memory.calls ?? null,
    vectorizes: options.vectorize ?? true,
  });

  for (const f of functions) defineFunction(module, f);
  defineArena(module);
  defineBind(module, 'bind', [program.position, program.constrained]);
  if (centring !== undefined) defineBind(module, 'bind_places', [centring.places, centring.origins]);
  module.defineBinding(() => {
    definePrepare(module, layout);
    definePrecompute(module, precompute);
  });
  defineEvaluation(module, 'log_density', value, FORWARD);
  defineEvaluation(module, 'log_density_gradient', gradient, REVERSE);
  defineEvaluation(module, 'log_density_unoptimized', program.logDensity, UNOPTIMIZED);
  defineRun(module, 'generate', program.generate, [
    program.includeTransformedParameters,
    program.includeGeneratedQuantities,
  ]);
  defineRun(module, 'unconstrain', program.unconstrain, []);
  if (product !== null) {
    defineBind(module, 'bind_direction', [product.direction]);
    defineEvaluation(module, 'hessian_product', product.block, REVERSE);
  }
  if (profile !== undefined) {
    for (const [k, block] of profile.prefixes.entries()) {
      defineEvaluation(module, `log_density_gradient_${k}`, block, REVERSE);
    }
    defineBind(module, 'bind_counts', [profile.counts]);
    defineEvaluation(module, 'count_executions', profile.counted, FORWARD);
  }
  if (work !== null) {
    defineEvaluation(module, 'divided_work', work.divided, FORWARD);
    defineEvaluation(module, 'shared_work', work.shared, FORWARD);
  }
  const globals = module.boundGlobals();
  for (const [k, index] of globals.entries()) writer.exportGlobal(String(k), index);
  if (module.usesMath()) for (const { address, bytes } of kernels.math.data) writer.data(address, bytes);
  return {
    wasm: writer.bytes(),
    artifact: {
      name: program.name,
      data: layout.data,
      outputs: layout.outputs,
      sites: module.sites,
      layout: { ...layout.memory, globals: globals.length },
      ...(hessian?.source === undefined ? {} : { hessian: hessian.source }),
      ...(centring && { centring: { names: centring.names, leftAlone: centring.leftAlone } }),
      ...(profile && { steps: stepsLayout(profile) }),
    },
  };
}

function stepsLayout({ counters, statements, steps }: EmittedProfile): StepsLayout {
  const parts = steps.flatMap((step) => step.parts);
  const sources = [...new Set([...parts.map(({ source }) => source), ...statements])].sort((one, other) =>
    isBefore(one.begin, other.begin) ? -1 : 1,
  );
  const places = new Map(sources.map((source, place) => [source, place]));
  return {
    sources: sources.map((source) => ({ ...stretchOf(source), text: spanText(source) })),
    steps: steps.map(({ parts }) =>
      parts.map(({ counter, source, weight }) => ({ source: places.get(source) ?? 0, weight, counter })),
    ),
    counters,
  };
}

interface Layout {
  readonly memory: Artifact['layout'];
  readonly data: readonly DataLayout[];
  readonly outputs: readonly OutputLayout[];
}

function layOut(program: IrProgram, statements: readonly Statement[], callsFunctions: boolean): Layout {
  const randomState = CONTROL_AREA;
  const values = randomState + RANDOM_STATE_BYTES;
  let slots = 1;
  for (const statement of statements) {
    if (statement.kind === 'check' || statement.kind === 'print' || statement.kind === 'reject') {
      slots = Math.max(slots, slotCount(siteValues(statement)));
    }
  }
  let next = values + 8 * slots;
  const data = program.data.map(({ name, arrayDepth, declaredAt, element, variable, complexPart }): DataLayout => {
    const slot = next;
    const rank = variable.kind === 'ref' ? variable.rank : 0;
    next += variable.kind === 'ref' ? align(4 * (1 + rank), 8) : 8;
    const type = variable.kind === 'ref' ? variable.element : variable.type;
    return {
      name,
      arrayDepth,
      element,
      type,
      rank,
      slot,
      declaredAt: stretchOf(declaredAt ?? null),
      ...(complexPart === undefined ? {} : { complexPart }),
    };
  });
  const outputs = program.outputs.map((output): OutputLayout => {
    const { name, block, arrayDepth, element, tupleAxes = [], isComplex = false, declaredAt } = output;
    const sizes = next;
    const rank = output.sizes.length;
    const unconstrainedRank = output.unconstrainedSizes.length;
    next += 4 * (rank + unconstrainedRank);
    return {
      name,
      block,
      arrayDepth,
      element,
      sizes,
      rank,
      unconstrainedRank,
      ...(tupleAxes.length === 0 ? {} : { tupleAxes }),
      ...(isComplex ? { isComplex } : {}),
      ...(declaredAt ? { declaredAt: stretchOf(declaredAt) } : {}),
    };
  });
  const free = align(next, 16);
  const calls = { count: free, sites: free + 16, room: KNOWN_CALLS };
  const memory = callsFunctions
    ? { randomState, values, calls, free: calls.sites + 4 * KNOWN_CALLS }
    : { randomState, values, free };
  return { memory, data, outputs };
}

function align(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}

/** The kernels of module `linear` that operations call. */
const LINEAR: ReadonlyMap<string, string> = new Map(
  Object.entries(OPS).flatMap(([op, { wasm }]): [string, string][] =>
    wasm.kind === 'kernel' && wasm.module === 'linear' ? [[op, wasm.name]] : [],
  ),
);

function importLinear(
  writer: ModuleWriter,
  kernels: KernelLibrary,
  statements: readonly Statement[],
): ReadonlyMap<string, number> {
  const imported = new Map<string, number>();
  const add = (name: string): void => {
    const signature = kernels.linear.get(name);
    if (signature === undefined || imported.has(name)) return;
    imported.set(name, writer.import('linear', name, signature));
  };
  for (const statement of statements) {
    if (statement.kind === 'kernel') add(statement.name);
    visitOwnExpressions(statement, (node) => {
      const name = node.kind === 'apply' ? LINEAR.get(node.op) : undefined;
      if (name !== undefined) add(name);
    });
  }
  return imported;
}

function declareFunctions(writer: ModuleWriter, functions: readonly IrFunction[]): Map<number, UserFunction> {
  return new Map(
    functions.map((f) => {
      const signature = { parameters: f.parameters.flatMap(passedTypes), results: f.results.flatMap(passedTypes) };
      return [f.id, { index: writer.declare(signature), signature }];
    }),
  );
}

/** A user function: containers are passed as pointer and sizes, and results are returned as several values. */
function defineFunction(module: ModuleContext, f: IrFunction): void {
  const declared = module.functions.get(f.id);
  if (declared === undefined) throw new Error(`function ${f.name} was not declared`);
  const code = new Code(declared.signature.parameters);
  const differentiates = f.cleared !== undefined || usesAdjoints(f.body);
  const frame = new Frame(module, code, { ...FORWARD, isCallee: true, differentiates });
  let next = 0;
  for (const parameter of f.parameters) {
    if (parameter.kind === 'local') frame.adoptLocal(parameter, next);
    else frame.adoptRef(parameter, next);
    next += passedTypes(parameter).length;
  }
  if (differentiates) {
    const { registers } = module;
    code.globalGet(registers.tapeTop);
    code.set(frame.tape);
    code.globalGet(registers.distance);
    code.set(frame.distance);
    frame.useShadows(new Set([...adjointRefs(f.body), ...(f.cleared ?? [])]));
    for (const parameter of f.parameters) if (parameter.kind === 'ref') frame.updateShadow(parameter);
  }
  frame.labels.set(0, code.block());
  writeBody(frame, f.body, f.results);
  code.end();
  if (differentiates) {
    code.get(frame.tape);
    code.globalSet(module.registers.tapeTop);
  }
  for (const result of f.results) {
    if (result.kind === 'local') frame.read(frame.local(result));
    else {
      const { pointer, sizes } = frame.ref(result);
      for (const place of [pointer, ...sizes]) frame.read(place);
    }
  }
  module.writer.define(declared.index, code.finish());
}

/** Whether the body is part of a gradient: it works on adjoints or leaves values on the tape. */
function usesAdjoints(body: Block): boolean {
  let uses = false;
  visitStatements(body, ({ kind }) => {
    if (GRADIENT_KINDS.has(kind)) uses = true;
  });
  return uses;
}

const GRADIENT_KINDS: ReadonlySet<Statement['kind']> = new Set([
  'push',
  'pop',
  'push_ref',
  'pop_ref',
  'add_adjoint',
  'set_adjoint',
]);

function defineExport(
  module: ModuleContext,
  name: string,
  parameters: readonly ValueType[],
  results: readonly ValueType[],
  write: (code: Code) => void,
): void {
  const index = module.writer.declare({ parameters, results });
  const code = new Code(parameters);
  write(code);
  module.writer.define(index, code.finish());
  module.writer.export(name, index);
}

function defineArena(module: ModuleContext): void {
  const { registers } = module;
  const order = [registers.base, registers.arenaEnd, registers.distance, registers.tape, registers.end];
  defineExport(module, 'arena', [I32, I32, I32, I32, I32], [], (code) => {
    for (const [k, register] of order.entries()) {
      code.get(k);
      code.globalSet(register);
    }
  });
}

/** Pointer and size of each of these vectors. */
function defineBind(module: ModuleContext, name: string, vectors: readonly Ref[]): void {
  defineExport(module, name, vectors.flatMap(passedTypes), [], (code) => {
    let parameter = 0;
    for (const ref of vectors) {
      const { pointer, sizes } = module.globalRef(ref);
      for (const place of [pointer, ...sizes]) {
        code.get(parameter++);
        code.globalSet(place.index);
      }
    }
  });
}

/** Frees memory from `base` on; without adjoints it extends to the end of memory. No call is open. */
function startArena(frame: Frame): void {
  const { code, module } = frame;
  const { registers } = module;
  if (module.calls !== null) {
    code.i32(0);
    code.i32(0);
    code.memory(OP.i32Store, 2, module.calls.count);
  }
  code.globalGet(registers.base);
  code.globalSet(registers.top);
  code.globalGet(frame.purpose.differentiates ? registers.arenaEnd : registers.end);
  code.globalSet(registers.limit);
}

function definePrepare(module: ModuleContext, layout: Layout): void {
  const { program, registers } = module;
  defineExport(module, 'prepare', [], [I32], (code) => {
    const frame = new Frame(module, code, { ...FORWARD, writesGlobals: true });
    startArena(frame);
    for (const [k, { variable }] of program.data.entries()) {
      const { slot } = layout.data[k];
      if (variable.kind === 'local') {
        code.i32(0);
        if (variable.type === 'int') code.memory(OP.i32Load, 2, slot);
        else code.memory(OP.f64Load, 3, slot);
        frame.write(frame.local(variable));
      } else {
        const { pointer, sizes } = frame.ref(variable);
        for (const [n, place] of [pointer, ...sizes].entries()) {
          code.i32(0);
          code.memory(OP.i32Load, 2, slot + 4 * n);
          frame.write(place);
        }
      }
    }
    writeBody(frame, program.prepare);
    for (const [k, { sizes, unconstrainedSizes }] of program.outputs.entries()) {
      let address = layout.outputs[k].sizes;
      for (const size of [...sizes, ...unconstrainedSizes]) {
        code.i32(0);
        const expression = new ExpressionWriter(frame, [size]);
        expression.write(size);
        expression.done();
        code.memory(OP.i32Store, 2, address);
        address += 4;
      }
    }
    code.globalGet(registers.top);
  });
}

function definePrecompute(module: ModuleContext, block: Block): void {
  defineExport(module, 'precompute', [], [I32], (code) => {
    const frame = new Frame(module, code, { ...FORWARD, writesGlobals: true });
    startArena(frame);
    writeBody(frame, block);
    code.globalGet(module.registers.top);
  });
}

function setFlags(frame: Frame, flags: readonly IrProgram['keepConstants'][]): void {
  const { code } = frame;
  for (const [k, flag] of flags.entries()) {
    code.get(0);
    code.i32(1 << k);
    code.op(OP.i32And);
    frame.write(frame.local(flag));
  }
}

function setSlice(frame: Frame, { slice, slices }: Slicing): void {
  const { code } = frame;
  const bits = (shift: number): void => {
    code.get(0);
    code.i32(shift);
    code.op(OP.i32ShrU);
    code.i32(255);
    code.op(OP.i32And);
  };
  bits(2);
  frame.write(frame.local(slice));
  bits(10);
  code.i32(1);
  code.op(OP.i32Add);
  frame.write(frame.local(slices));
}

function defineEvaluation(module: ModuleContext, name: string, block: Block, purpose: Purpose): void {
  const { program, registers, helpers } = module;
  defineExport(module, name, [I32], [F64], (code) => {
    const frame = new Frame(module, code, purpose);
    startArena(frame);
    setFlags(frame, [program.keepConstants, program.keepJacobian]);
    if (program.slicing !== undefined) setSlice(frame, program.slicing);
    code.f64(0);
    code.set(frame.target);
    frame.cacheGlobals(block);
    if (purpose.differentiates) {
      code.globalGet(registers.tape);
      code.set(frame.tape);
      code.globalGet(registers.distance);
      code.set(frame.distance);
      frame.useShadows(new Set([program.position, ...adjointRefs(block)]));
      const { sizes } = frame.ref(program.position);
      code.get(frame.shadow(program.position));
      frame.read(sizes[0]);
      code.i32(3);
      code.op(OP.i32Shl);
      code.i32(15);
      code.op(OP.i32Add);
      code.i32(-16);
      code.op(OP.i32And);
      code.call(helpers.clear);
    }
    writeBody(frame, block);
    code.get(frame.target);
  });
}

function defineRun(
  module: ModuleContext,
  name: string,
  block: Block,
  flags: readonly IrProgram['keepConstants'][],
): void {
  defineExport(module, name, flags.length > 0 ? [I32] : [], [], (code) => {
    const frame = new Frame(module, code, FORWARD);
    startArena(frame);
    setFlags(frame, flags);
    code.f64(0);
    code.set(frame.target);
    frame.cacheGlobals(block);
    writeBody(frame, block);
  });
}

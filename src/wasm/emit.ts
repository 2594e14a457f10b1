import type { Statement } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { visitOwnExpressions, visitStatements } from '../ir/walk.js';
import type { Artifact } from './artifact.js';
import { ModuleContext, type Registers, type WasmFunction } from './context.js';
import type { EmitInput } from './emit-input.js';
import {
  defineArena,
  defineBind,
  defineEvaluation,
  definePrecompute,
  definePrepare,
  defineRun,
  setFlags,
} from './exports.js';
import { FORWARD, REVERSE, UNOPTIMIZED } from './frame.js';
import { defineClear, defineFill, defineTake } from './helpers.js';
import type { KernelLibrary } from './kernels.js';
import { layOut, stepsLayout } from './layout.js';
import { ModuleWriter } from './module.js';
import { F64, I32 } from './opcodes.js';
import { declareFunctions, defineFunction } from './user-functions.js';

export interface EmitOptions {
  /** Whether loops may run two iterations at a time; by default true. */
  readonly vectorize?: boolean;
}

export interface Emitted {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly artifact: Artifact;
}

/**
 * Writes one wasm module for a program. Exports:
 *
 * | name                                                   | does                                                        |
 * |--------------------------------------------------------|-------------------------------------------------------------|
 * | `arena(base, limit, distance, tape, end)`                | sets the addresses of the arena, its adjoints and the tape   |
 * | `prepare() → top`                                       | takes the data from their slots, sets all globals, writes the outputs' sizes |
 * | `precompute() → top`                                    | after `prepare`, with memory from `base`: computes the data-only values that the gradient reads. If it fails, `log_density_unoptimized` at any point reports the failure, and `log_density` and `log_density_gradient` must not be called |
 * | `bind(position, size, constrained, size)`                | sets where the host reads and writes parameters              |
 * | `log_density(flags) → value`                            | flags: 1 keeps constants, 2 keeps Jacobians; in a module in slices, 4 times the slice plus 1024 times the number of further slices |
 * | `log_density_gradient(flags) → value`                   | the gradient is stored `distance` after the position            |
 * | `log_density_unoptimized(flags) → value`                 | the log density, statement by statement as in the program     |
 * | `generate(flags)`                                       | flags: 1 transformed parameters, 2 generated quantities       |
 * | `unconstrain(rounding)`                                 | computes the position from the constrained parameters; rounding: bound on their relative rounding errors |
 * | `bind_places(places, size, origins, size)`               | of a module with partially centered coordinates: sets where the host writes their places and reads locations and scales |
 * | `bind_excess(excess, size)`                               | of a module with integrated parameters: sets where `generate` writes the log density of the program at its draw minus the marginal log density |
 * | `bind_direction(direction, size)`                       | of a module with second derivatives: sets where the host writes a direction |
 * | `divided_work(0) → value`, `shared_work(0) → value`        | of a module in slices: estimates of the work that is divided among the slices, and of the work that each slice repeats, in units of about a nanosecond |
 * | `hessian_product(flags) → value`                        | the log density's derivative along the direction; the Hessian times the direction replaces the gradient |
 * | `log_density_gradient_N(flags) → value`                 | of a module with steps: the gradient of the first N of them   |
 * | `bind_counts(counts, size)`                              | of a module with steps: sets where `count_executions` counts  |
 * | `count_executions(flags) → value`                       | the log density; adds 1 to the counter of a block of statements whenever it begins |
 *
 * The globals that `prepare` and `precompute` share with the other functions are exported as `0`, `1`, …: together with the memory, they
 * contain all results of these two functions. `control` is the distance of the control area from its address in the artifact, initially 0:
 * instances that share a memory have their own areas.
 *
 * Imports: `env.memory`, `env.report(site)`, `env.reserve(end, region, site)`, and the `linear` kernels that are used.
 */
export function emit(input: EmitInput, kernels: KernelLibrary, options: EmitOptions = {}): Emitted {
  const {
    program,
    precompute,
    gradient,
    value,
    functions,
    hessian,
    integration,
    integrationWork,
    profile,
    work = null,
  } = input;
  const { centering } = program;
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
    ...(integrationWork === undefined ? [] : [integrationWork.integrated, integrationWork.whole]),
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
    control: writer.global(I32),
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
    derivatives: layout.derivatives,
    calls: layout.memory.calls ?? null,
    vectorizes: options.vectorize ?? true,
  });

  for (const f of functions) defineFunction(module, f);
  defineArena(module);
  defineBind(module, 'bind', [program.position, program.constrained]);
  if (centering !== undefined) defineBind(module, 'bind_places', [centering.places, centering.origins]);
  if (program.integration !== undefined) defineBind(module, 'bind_excess', [program.integration.excess]);
  module.defineBinding(() => {
    definePrepare(module, layout);
    definePrecompute(module, precompute);
  });
  defineEvaluation(module, 'log_density', value, FORWARD);
  defineEvaluation(module, 'log_density_gradient', gradient, REVERSE);
  defineEvaluation(module, 'log_density_unoptimized', program.logDensity, UNOPTIMIZED);
  const { includeTransformedParameters, includeGeneratedQuantities, rounding } = program;
  defineRun(module, 'generate', program.generate, I32, (frame) =>
    setFlags(frame, [includeTransformedParameters, includeGeneratedQuantities]),
  );
  defineRun(module, 'unconstrain', program.unconstrain, F64, (frame) => {
    frame.code.get(0);
    frame.write(frame.local(rounding));
  });
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
  if (integrationWork !== undefined) {
    defineEvaluation(module, 'integrated_work', integrationWork.integrated, FORWARD);
    defineEvaluation(module, 'whole_work', integrationWork.whole, FORWARD);
  }
  const globals = module.boundGlobals();
  writer.exportGlobal('control', registers.control);
  for (const [k, index] of globals.entries()) writer.exportGlobal(String(k), index);
  if (module.usesMath()) for (const { address, bytes } of kernels.math.data) writer.data(address, bytes);
  return {
    wasm: writer.bytes(),
    artifact: {
      name: program.name,
      data: layout.data,
      outputs: layout.outputs,
      sites: module.sites,
      layout: { ...layout.memory, globals: globals.length, isMovable: true },
      ...(hessian?.source === undefined ? {} : { hessian: hessian.source }),
      ...(centering && { centering: { names: centering.names, leftAlone: centering.leftAlone } }),
      ...(integration && { integration }),
      ...(profile && { steps: stepsLayout(profile) }),
    },
  };
}

function importLinear(
  writer: ModuleWriter,
  kernels: KernelLibrary,
  statements: readonly Statement[],
): ReadonlyMap<string, WasmFunction> {
  const imported = new Map<string, WasmFunction>();
  const add = (name: string): void => {
    const signature = kernels.linear.get(name);
    if (signature === undefined || imported.has(name)) return;
    imported.set(name, { index: writer.import('linear', name, signature), signature });
  };
  for (const statement of statements) {
    if (statement.kind === 'kernel') add(statement.name);
    visitOwnExpressions(statement, (node) => {
      if (node.kind !== 'apply') return;
      const { wasm } = OPS[node.op];
      if (wasm.kind === 'kernel') add(wasm.name);
    });
  }
  return imported;
}

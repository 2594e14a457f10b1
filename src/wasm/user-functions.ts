/** The user functions of a module. */
import type { Block, IrFunction, Statement } from '../ir/nodes.js';
import { adjointRefs, visitStatements } from '../ir/walk.js';
import { Code } from './code.js';
import { type ModuleContext, passedTypes, type WasmFunction } from './context.js';
import { FORWARD, Frame } from './frame.js';
import type { ModuleWriter } from './module.js';
import { writeBody } from './statements.js';

export function declareFunctions(writer: ModuleWriter, functions: readonly IrFunction[]): Map<number, WasmFunction> {
  return new Map(
    functions.map((f) => {
      const signature = { parameters: f.parameters.flatMap(passedTypes), results: f.results.flatMap(passedTypes) };
      return [f.id, { index: writer.declare(signature), signature }];
    }),
  );
}

/** A user function: containers are passed as pointer and sizes, and results are returned as several values. */
export function defineFunction(module: ModuleContext, f: IrFunction): void {
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

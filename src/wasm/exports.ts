/** The functions that a module exports. */
import type { Block, IrProgram, Ref, Slicing } from '../ir/nodes.js';
import { adjointRefs } from '../ir/walk.js';
import { Code } from './code.js';
import { type ModuleContext, passedTypes } from './context.js';
import { ExpressionWriter } from './expressions.js';
import { FORWARD, Frame, type Purpose } from './frame.js';
import type { Layout } from './layout.js';
import { F64, I32, OP, type ValueType } from './opcodes.js';
import { writeBody } from './statements.js';

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

export function defineArena(module: ModuleContext): void {
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
export function defineBind(module: ModuleContext, name: string, vectors: readonly Ref[]): void {
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

/** Frees memory from `base`; without adjoints, the arena extends to the end of memory. No call may be open. */
function startArena(frame: Frame): void {
  const { code, module } = frame;
  const { registers } = module;
  if (module.calls !== null) {
    code.globalGet(registers.control);
    code.i32(0);
    code.memory(OP.i32Store, 2, module.calls.count);
  }
  code.globalGet(registers.base);
  code.globalSet(registers.top);
  code.globalGet(frame.purpose.differentiates ? registers.arenaEnd : registers.end);
  code.globalSet(registers.limit);
}

export function definePrepare(module: ModuleContext, layout: Layout): void {
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

export function definePrecompute(module: ModuleContext, block: Block): void {
  defineExport(module, 'precompute', [], [I32], (code) => {
    const frame = new Frame(module, code, { ...FORWARD, writesGlobals: true });
    startArena(frame);
    writeBody(frame, block);
    code.globalGet(module.registers.top);
  });
}

export function setFlags(frame: Frame, flags: readonly IrProgram['keepConstants'][]): void {
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

export function defineEvaluation(module: ModuleContext, name: string, block: Block, purpose: Purpose): void {
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

export function defineRun(
  module: ModuleContext,
  name: string,
  block: Block,
  parameter: ValueType,
  readParameter: (frame: Frame) => void,
): void {
  defineExport(module, name, [parameter], [], (code) => {
    const frame = new Frame(module, code, FORWARD);
    startArena(frame);
    readParameter(frame);
    code.f64(0);
    code.set(frame.target);
    frame.cacheGlobals(block);
    writeBody(frame, block);
  });
}

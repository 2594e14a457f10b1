import type { KernelArgument, StatementOf } from '../ir/nodes.js';
import type { ExpressionWriter } from './expressions.js';
import type { Frame } from './frame.js';
import { I32, OP } from './opcodes.js';
import { callSite } from './sites.js';

export function callKernel(
  frame: Frame,
  { name, args, result }: StatementOf<'kernel'>,
  writer: ExpressionWriter,
): void {
  const { code, module } = frame;
  for (const argument of args) writeKernelArgument(frame, argument, writer);
  const { index, signature } = module.kernelFunction(name);
  code.call(index);
  if (result !== null) frame.write(frame.local(result));
  else if (signature.results.length > 0) code.op(OP.drop);
}

function writeKernelArgument(frame: Frame, argument: KernelArgument, writer: ExpressionWriter): void {
  const { code, module } = frame;
  if (argument.kind === 'random_state') {
    code.globalGet(module.registers.control);
    code.i32(module.randomState);
    code.op(OP.i32Add);
    return;
  }
  if (argument.kind !== 'pointer') {
    writer.write(argument);
    return;
  }
  const { ref, offset, adjoint } = argument;
  frame.readAddress(ref, adjoint);
  if (offset === null) return;
  writer.write(offset);
  frame.advance(ref.element);
}

export function callFunction(frame: Frame, statement: StatementOf<'call'>, writer: ExpressionWriter): void {
  const { callee, args, results } = statement;
  const called = frame.module.functions.get(callee);
  if (called === undefined) throw new Error(`there is no function ${callee}`);
  for (const argument of args) {
    if (argument.kind !== 'ref') {
      writer.write(argument);
      continue;
    }
    const { pointer, sizes } = frame.ref(argument);
    frame.read(pointer);
    for (const size of sizes) frame.read(size);
  }
  const { code, module, tape } = frame;
  const sharesTape = frame.purpose.differentiates;
  if (sharesTape) {
    code.get(tape);
    code.globalSet(module.registers.tapeTop);
  }
  notingCall(frame, statement, () => code.call(called.index));
  if (sharesTape) {
    code.globalGet(module.registers.tapeTop);
    code.set(tape);
  }
  for (const variable of [...results].reverse()) {
    if (variable.kind === 'local') frame.write(frame.local(variable));
    else {
      const { pointer, sizes } = frame.ref(variable);
      for (const size of [...sizes].reverse()) frame.write(size);
      frame.write(pointer);
      frame.updateShadow(variable);
    }
  }
}

/** Records that a call is open while it runs, so that the message of a failure inside it lists the open calls. */
function notingCall(frame: Frame, statement: StatementOf<'call'>, call: () => void): void {
  const { code, module } = frame;
  const { calls } = module;
  if (calls === null || statement.span === undefined || statement.span === null) {
    call();
    return;
  }
  const { control } = module.registers;
  const count = code.temporary(I32);
  code.globalGet(control);
  code.memory(OP.i32Load, 2, calls.count);
  code.tee(count);
  code.i32(calls.room - 1);
  code.op(OP.i32And);
  code.i32(2);
  code.op(OP.i32Shl);
  code.globalGet(control);
  code.op(OP.i32Add);
  code.i32(module.sites.push(callSite(statement)) - 1);
  code.memory(OP.i32Store, 2, calls.sites);
  code.globalGet(control);
  code.get(count);
  code.i32(1);
  code.op(OP.i32Add);
  code.memory(OP.i32Store, 2, calls.count);
  call();
  code.globalGet(control);
  code.get(count);
  code.memory(OP.i32Store, 2, calls.count);
  code.release(I32, count);
}

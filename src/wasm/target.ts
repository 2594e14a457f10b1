import type { TargetTerm } from '../ir/nodes.js';
import type { Frame } from './frame.js';
import { OP } from './opcodes.js';

export function readTarget(frame: Frame): void {
  const { code, target, module } = frame;
  if (target === null) code.globalGet(module.registers.target);
  else code.get(target);
}

export function writeTarget(frame: Frame): void {
  const { code, target, module } = frame;
  if (target === null) code.globalSet(module.registers.target);
  else code.set(target);
}

/** Adds the value that `value` leaves on the stack to `target`, if terms of this kind count. */
export function addToTarget(frame: Frame, term: TargetTerm, value: () => void): void {
  const { code } = frame;
  const { keepConstants, keepJacobian } = frame.module.program;
  if (term !== 'always') {
    frame.read(frame.local(term === 'constant' ? keepConstants : keepJacobian));
    code.if();
  }
  readTarget(frame);
  value();
  code.op(OP.f64Add);
  writeTarget(frame);
  if (term !== 'always') code.end();
}

import type { TargetTerm } from '../ir/nodes.js';
import type { Frame } from './frame.js';
import { OP } from './opcodes.js';

/** Adds the value that `value` leaves on the stack to `target`, if terms of this type count. */
export function addToTarget(frame: Frame, term: TargetTerm, value: () => void): void {
  const { code, target } = frame;
  const { keepConstants, keepJacobian } = frame.module.program;
  if (term !== 'always') {
    frame.read(frame.local(term === 'constant' ? keepConstants : keepJacobian));
    code.if();
  }
  code.get(target);
  value();
  code.op(OP.f64Add);
  code.set(target);
  if (term !== 'always') code.end();
}

import type { ExpressionWriter } from './expressions.js';
import type { Frame } from './frame.js';
import { OP } from './opcodes.js';
import { type Reporting, siteOf, siteValues } from './sites.js';

/** Writes the site's values to their area and calls the host. */
export function report(frame: Frame, statement: Reporting, writer: ExpressionWriter): void {
  const { code, module } = frame;
  let address = module.values;
  const slot = (write: () => void, type: 'int' | 'real'): void => {
    code.globalGet(module.registers.control);
    write();
    if (type === 'int') code.op(OP.f64ConvertI32S);
    code.memory(OP.f64Store, 3, address);
    address += 8;
  };
  for (const value of siteValues(statement)) {
    if (value.kind !== 'ref') slot(() => writer.write(value), value.type);
    else {
      const { pointer, sizes } = frame.ref(value);
      for (const place of [pointer, ...sizes]) slot(() => frame.read(place), 'int');
    }
  }
  code.i32(module.sites.push(siteOf(statement)) - 1);
  code.call(module.imports.report);
}

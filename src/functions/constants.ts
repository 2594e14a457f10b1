import { scalar } from '../ir/builder.js';
import { real } from '../ir/expressions.js';
import type { FunctionEntry } from './entry.js';
import { signaturesOf } from './signatures.js';

function constant(name: string, computes: string, value: number): FunctionEntry {
  return {
    name,
    family: 'constants',
    documentation: { computes },
    signatures: signaturesOf(name, ['() => real']),
    build: () => scalar(real(value), 'data'),
  };
}

export const CONSTANTS: readonly FunctionEntry[] = [
  constant('pi', 'π', Math.PI),
  constant('e', 'Base of the natural logarithm', Math.E),
  constant('sqrt2', '√2', Math.SQRT2),
  constant('not_a_number', 'Not a number', Number.NaN),
  constant('positive_infinity', 'Infinity', Number.POSITIVE_INFINITY),
  constant('negative_infinity', 'Negative infinity', Number.NEGATIVE_INFINITY),
  constant('machine_precision', 'Distance from 1 to the next larger double', Number.EPSILON),
];

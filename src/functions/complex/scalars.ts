import { levelOf, scalar } from '../../ir/builder.js';
import { composite } from '../../ir/composite.js';
import { neg } from '../../ir/exact.js';
import { toReal, ZERO } from '../../ir/expressions.js';
import { elementwise, scalarOf } from '../broadcast.js';
import { type ComplexRow, complexFunction, complexRow } from './extend.js';
import type { Formula } from './numbers.js';
import * as numbers from './numbers.js';
import { complexScalar, elementwiseComplex, numberOf, partsOfValue, partTypes, realOfComplex } from './values.js';

/** A function of one complex number. `data` is the formula for data, which need no derivatives. */
function unary(name: string, formula: Formula, data: Formula = formula): ComplexRow {
  return complexRow(name, ['(complex) => complex'], (builder, [z], call) =>
    elementwiseComplex(builder, call.result, [z], z.level === 'data' ? data : formula),
  );
}

const TO_REAL = [
  '(array[N] complex) => array[N] real',
  '(array[N] complex_vector) => array[N] vector',
  '(array[N] complex_row_vector) => array[N] row_vector',
  '(array[N] complex_matrix) => array[N] matrix',
];

const TO_COMPLEX = [
  ['real', 'complex', '1..8'],
  ['vector', 'complex_vector', '0..7'],
  ['row_vector', 'complex_row_vector', '0..7'],
  ['matrix', 'complex_matrix', '0..7'],
].flatMap(([real, complex, depths]) => [
  `(array[N] ${real}, array[N] ${real}) => array[N] ${complex} where N = ${depths}`,
  `(array[N] ${real}, real) => array[N] ${complex} where N = ${depths}`,
  `(real, array[N] ${real}) => array[N] ${complex} where N = ${depths}`,
]);

const CONTAINERS = 'complex_matrices';

export const COMPLEX_SCALARS: readonly ComplexRow[] = [
  unary('exp', numbers.expOf),
  unary('log', numbers.logOf),
  unary('log10', numbers.log10Of),
  unary('sqrt', numbers.sqrtOf, numbers.dataSqrt),
  unary('sin', numbers.sinOf),
  unary('cos', numbers.cosOf),
  unary('tan', numbers.tanOf),
  unary('asin', numbers.asinOf),
  unary('acos', numbers.acosOf),
  unary('atan', numbers.atanOf),
  unary('sinh', numbers.sinhOf),
  unary('cosh', numbers.coshOf),
  unary('tanh', numbers.tanhOf),
  unary('asinh', numbers.asinhOf),
  unary('acosh', numbers.acoshOf),
  unary('atanh', numbers.atanhOf),
  complexRow(
    'pow',
    [
      '(complex, complex) => complex',
      '(array[N] complex, array[N] complex) => array[N] complex where N = 1..8',
      '(array[N] complex, complex) => array[N] complex where N = 1..8',
      '(complex, array[N] complex) => array[N] complex where N = 1..8',
      `(array[N] T, array[N] T) => array[N] T where T = ${CONTAINERS}`,
      `(array[N] T, complex) => array[N] T where T = ${CONTAINERS}`,
      `(complex, array[N] T) => array[N] T where T = ${CONTAINERS}`,
    ],
    (builder, args, call) =>
      elementwiseComplex(builder, call.result, args, args[1].level === 'data' ? numbers.dataPower : numbers.powerOf),
  ),
  complexRow('abs', TO_REAL, (builder, [z], call) => realOfComplex(builder, call.result, z, numbers.absOf)),

  complexFunction('arg', 'The angle of z, between -π and π', ['(complex) => real'], (builder, [z]) =>
    scalar(numbers.argumentOf(numberOf(builder, z)), z.level),
  ),
  complexFunction('norm', '|z|²', ['(complex) => real'], (builder, [z]) =>
    scalar(numbers.normOf(numberOf(builder, z)), z.level),
  ),
  complexFunction('get_real', 'The real part', TO_REAL, (_, [z]) => partsOfValue(z)[0]),
  complexFunction('get_imag', 'The imaginary part', TO_REAL, (_, [z]) => partsOfValue(z)[1]),
  complexFunction(
    'conj',
    'The complex conjugate',
    [`(array[N] T) => array[N] T where T = complex | ${CONTAINERS}`],
    (builder, [z], call) => {
      const [re, im] = partsOfValue(z);
      return composite(call.result, [re, elementwise(builder, im.type, [im], neg)]);
    },
  ),
  complexFunction(
    'proj',
    'z, or infinity on the real axis if a part of z is infinite',
    ['(complex) => complex'],
    (builder, [z], call) => elementwiseComplex(builder, call.result, [z], numbers.projectionOf),
  ),
  complexFunction(
    'polar',
    { computes: 'The number r (cos θ + i sin θ)', domain: 'r ≥ 0, θ finite' },
    ['(real, real) => complex'],
    (builder, args) => {
      const [r, angle] = args.map((arg) => builder.bind(toReal(scalarOf(arg))));
      return complexScalar(numbers.polarOf(r, angle), levelOf(args));
    },
  ),
  complexFunction(
    'to_complex',
    'The complex number with the given real and imaginary parts, which default to zero',
    ['() => complex', '(real) => complex', '(real, real) => complex', ...TO_COMPLEX],
    (builder, args, call) => {
      if (args.length < 2) {
        return composite(call.result, [args[0] ?? scalar(ZERO, 'data'), scalar(ZERO, levelOf(args))]);
      }
      const part = (k: 0 | 1) =>
        elementwise(builder, partTypes(call.result)[k], args, (re, im) => toReal(k === 0 ? re : im), {});
      return composite(call.result, [part(0), part(1)]);
    },
  ),
];

import { EXP, LN2_HIGH, LN2_LOW, OVERFLOW, UNDERFLOW } from '../../numbers/elementary.js';
import {
  type Call,
  type Code,
  choose,
  double,
  int,
  integer,
  type ModuleWriter,
  real,
  returnValue,
  set,
  when,
} from './assembler.js';

/** Defines (x) → `exponential(x)`, with the same bits, because a call of JavaScript would box the number. */
export function defineExponential(writer: ModuleWriter): Call {
  return writer.define('exponential', {
    takes: ['f64'],
    variables: ['i32', 'i32', 'f64', 'f64', 'f64', 'f64', 'f64'],
    returns: 'f64',
    steps: (x, exponent, first, halves, high, low, r, c) => [
      when(double.greater(x, real(OVERFLOW)), [returnValue(real(Number.POSITIVE_INFINITY))]),
      when(double.less(x, real(UNDERFLOW)), [returnValue(real(0))]),
      set(halves, double.floor(double.add(double.multiply(real(Math.LOG2E), x), real(0.5)))),
      set(high, double.subtract(x, double.multiply(halves, real(LN2_HIGH)))),
      set(low, double.multiply(halves, real(LN2_LOW))),
      set(r, double.subtract(high, low)),
      set(c, double.multiply(r, r)),
      set(c, double.subtract(r, polynomial(c))),
      set(exponent, int.truncated(halves)),
      set(first, choose(int.less(exponent, integer(-1022)), integer(-1022), exponent)),
      set(first, choose(int.less(integer(1023), first), integer(1023), first)),
      double.multiply(
        double.multiply(
          double.subtract(
            real(1),
            double.subtract(
              double.subtract(low, double.divide(double.multiply(r, c), double.subtract(real(2), c))),
              high,
            ),
          ),
          double.powerOfTwo(first),
        ),
        double.powerOfTwo(int.subtract(exponent, first)),
      ),
    ],
  });
}

/** t EXP₀ + t² EXP₁ + …, by Horner's method. */
function polynomial(t: Code): Code {
  return EXP.reduceRight<Code>(
    (inner, coefficient) =>
      double.multiply(t, inner.length === 0 ? real(coefficient) : double.add(real(coefficient), inner)),
    [],
  );
}

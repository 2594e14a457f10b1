import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fixedText, scientificText, streamText } from './number-text.js';

it('formats numbers as C++ streams do', () => {
  const cases: [number, string][] = [
    [0, '0'],
    [-0, '-0'],
    [1, '1'],
    [0.5, '0.5'],
    [0.8098181, '0.809818'],
    [123456, '123456'],
    [1234567, '1.23457e+06'],
    [100000, '100000'],
    [999999.5, '1e+06'],
    [1e6, '1e+06'],
    [0.0001, '0.0001'],
    [0.000099999999, '0.0001'],
    [0.0000999994, '9.99994e-05'],
    [0.00001234, '1.234e-05'],
    [-2.5e-300, '-2.5e-300'],
    [3e-6, '3e-06'],
    [0.30000000000000004, '0.3'],
    [99999.96, '100000'],
    [Number.NaN, 'nan'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NEGATIVE_INFINITY, '-inf'],
  ];
  for (const [value, text] of cases) assert.equal(streamText(value), text);
  assert.equal(streamText(0.8098181, 4), '0.8098');
  assert.equal(streamText(12345.6, 4), '1.235e+04');
});

it('formats numbers in scientific and in fixed notation as C++ streams do', () => {
  assert.equal(scientificText(-1234.5678, 3), '-1.235e+03');
  assert.equal(scientificText(1e-300, 2), '1.00e-300');
  assert.equal(scientificText(Number.NaN, 3), 'nan');
  assert.equal(fixedText(2 / 3, 3), '0.667');
  assert.equal(fixedText(Number.NEGATIVE_INFINITY, 6), '-inf');
});

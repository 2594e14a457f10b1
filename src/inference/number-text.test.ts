import assert from 'node:assert/strict';
import { it } from 'node:test';
import { streamText } from './number-text.js';

it('prints numbers as C++ streams do', () => {
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

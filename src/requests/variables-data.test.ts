import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonData, parseStanData } from '../formats/stan-json.js';
import { memberOf, readValue } from '../model/values.js';
import { type Variables, variablesText } from './variables.js';
import { variablesData } from './variables-data.js';

/** The value of `x`, read as a variable of the type, or the message of the error. */
function read(data: JsonData, type: 'int' | 'real'): unknown {
  const json = memberOf(data, 'x');
  if (json === undefined) return 'missing';
  try {
    return readValue(json, { name: 'x', type }, 'data initialization');
  } catch (error) {
    return String(error);
  }
}

const agrees = (variables: Variables) => {
  for (const type of ['int', 'real'] as const) {
    assert.deepEqual(read(variablesData(variables), type), read(parseStanData(variablesText(variables)), type));
  }
};

describe('variables as data equal those of their JSON text', () => {
  it('for integers and reals', () => {
    for (const x of [
      0,
      -0,
      7,
      -3,
      2 ** 31,
      -(2 ** 31),
      1e20,
      1e21,
      2.5,
      5e-324,
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ]) {
      agrees({ x });
    }
  });

  it('for arrays, also typed ones', () => {
    for (const x of [
      [],
      [1, 2, -0],
      [1, 2.5],
      [1, Number.NaN],
      new Float64Array(0),
      Float64Array.of(1, 2),
      Float64Array.of(1, 0.5, Number.NEGATIVE_INFINITY),
      Float32Array.of(0.5, 3),
      Float32Array.of(3, 4),
      Int32Array.of(-1, 2),
      [[], []],
      [[1, 2], Float64Array.of(3, 4)],
      [
        [1, 2],
        [3, 4.5],
      ],
      [[1, 2], [3]],
      [[1], 2],
    ]) {
      agrees({ x });
    }
  });

  it('for strings, tuples and unsupported values', () => {
    for (const x of ['NaN', '-Inf', 'one', ['Inf', 2], { '1': 1, '2': [2.5] }, [{ '1': 1 }, { '1': 2 }]]) agrees({ x });
    assert.deepEqual(variablesData({ x: { '1': 1 } }), parseStanData('{"x": {"1": 1}}'));
    agrees({});
    agrees({ x: [1], y: 'anything' });
  });
});

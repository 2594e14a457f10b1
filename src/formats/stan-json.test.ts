import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  JsonSyntaxError,
  JsonText,
  nonFiniteNumber,
  parseStanData,
  parseStanEnvelope,
  parseStanJson,
  Real,
} from './stan-json.js';

test('an integer stays a number and a real becomes a Real', () => {
  assert.equal(parseStanJson('7'), 7);
  assert.equal(parseStanJson('-12'), -12);
  assert.deepEqual(parseStanJson('1.0'), new Real(1));
  assert.deepEqual(parseStanJson('1e0'), new Real(1));
  assert.deepEqual(parseStanJson('-2.5E-3'), new Real(-0.0025));
});

test('an array of numbers is number[] when all are integers and a Float64Array otherwise', () => {
  assert.deepEqual(parseStanJson('[1, 2, 3]'), [1, 2, 3]);
  assert.deepEqual(parseStanJson('[1, 2.0, 3]'), Float64Array.of(1, 2, 3));
  assert.deepEqual(parseStanJson('[]'), []);
  assert.deepEqual(parseStanJson('[[1, 2], [0.5, 3]]'), [[1, 2], Float64Array.of(0.5, 3)]);
});

test('an array with other values than numbers distinguishes integers and reals', () => {
  assert.deepEqual(parseStanJson('[1, 2.0, "NaN", 3.5, [4]]'), [1, new Real(2), 'NaN', new Real(3.5), [4]]);
});

test('bare non-finite tokens are read as reals', () => {
  assert.deepEqual(
    parseStanJson('[NaN, Infinity, -Infinity, Inf, -Inf]'),
    Float64Array.of(Number.NaN, Infinity, -Infinity, Infinity, -Infinity),
  );
  assert.deepEqual(parseStanJson('{"x":NaN}'), Object.assign(Object.create(null), { x: new Real(Number.NaN) }));
  assert.equal(parseStanJson('"NaN and Infinity"'), 'NaN and Infinity');
});

test('strings for non-finite numbers', () => {
  assert.equal(nonFiniteNumber('-Inf'), -Infinity);
  assert.equal(nonFiniteNumber('+Infinity'), Infinity, 'which Stan refuses: docs/differences.md');
  assert.equal(nonFiniteNumber('NaN'), Number.NaN);
  assert.equal(nonFiniteNumber('nan'), undefined);
});

test('escapes, surrogates and long strings', () => {
  assert.equal(parseStanJson('"a\\n\\u00e9\\"\\\\ b"'), 'a\né"\\ b');
  assert.equal(parseStanJson('"𝜃"'), '𝜃');
});

test('plain numbers: no distinction', () => {
  assert.deepEqual(parseStanJson('[1, 2.5, "x", 1.0]', { plainNumbers: true }), [1, 2.5, 'x', 1]);
  assert.deepEqual(parseStanJson('[1.5, NaN, -Inf]', { plainNumbers: true }), [1.5, 'NaN', '-Infinity']);
});

const NAMES = { verbatim: new Set(['data']), listed: new Set(['fits']) };

test('verbatim members of the objects in a listed array are returned as text', () => {
  const value = parseStanEnvelope(
    '{"fits": [{"data": {"N": 1.0}, "fits": [{"data": 1}]}, 2, []], "other": [{"data": 3}]}',
    NAMES,
  );
  const object = (members: object) => Object.assign(Object.create(null), members);
  const listed = object({ data: new JsonText('{"N": 1.0}'), fits: [object({ data: 1 })] });
  assert.deepEqual(value, object({ fits: [listed, 2, []], other: [object({ data: 3 })] }));
  assert.deepEqual(parseStanEnvelope('{"fits": [ ]}', NAMES), object({ fits: [] }));
  assert.deepEqual(parseStanEnvelope('{"fits": {"data": 1}}', NAMES), object({ fits: object({ data: 1 }) }));
  assert.throws(() => parseStanEnvelope('{"fits": [{"data": 1},]}', NAMES), /expected a value, found "]"/);
});

test('verbatim members of the outermost object are returned as text', () => {
  const value = parseStanEnvelope('{"data": {"N": 1.0 , "data": [1]}, "other": 2}', NAMES);
  const expected = { data: new JsonText('{"N": 1.0 , "data": [1]}'), other: 2 };
  assert.deepEqual(value, Object.assign(Object.create(null), expected));
  assert.deepEqual(parseStanEnvelope('[1]', NAMES), [1]);
});

test('invalid JSON is rejected with its location', () => {
  const cases: [string, RegExp][] = [
    ['', /line 1, column 1: expected a value, found the end of the text/],
    ['{"a": 1,\n "a": 2}', /line 2, column 2: the name "a" appears twice/],
    ['{"__proto__": 1}', /column 2: the name "__proto__" is not allowed/],
    ['[1, 2', /column 6: expected ',' or ']', found the end/],
    ['[1,]', /column 4: expected a value, found "]"/],
    ['{"a" 1}', /column 6: expected ':', found "1"/],
    ['{a: 1}', /column 2: expected a name in double quotes, found "a"/],
    ['01', /must not start with 0/],
    ['1.', /a digit after the decimal point, found the end/],
    ['1e', /a digit in the exponent/],
    ['[0, -1e400]', /column 5: a number too big to be stored in double/],
    ['-x', /a digit or Infinity after the minus sign, found "x"/],
    ['+1', /expected a value, found "\+"/],
    ['.5', /expected a value, found "\."/],
    ['nan', /expected a value, found "n"/],
    ['NaNs', /expected a value, found "N"/],
    ['1 2', /expected the end of the text, found "2"/],
    ['"abc', /without its closing double quote/],
    ['"a\nb"', /control character/],
    ['"\\x41"', /escape that JSON does not have/],
    ['"\\', /without its closing/],
    [`${'['.repeat(101)}${']'.repeat(101)}`, /nested deeper than 100 levels/],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => parseStanJson(text),
      (error) => error instanceof JsonSyntaxError && message.test(error.message),
      text,
    );
  }
  assert.throws(() => parseStanData('[1]'), /expected an object/);
});

test('every double is read back exactly from its JSON', () => {
  fc.assert(
    fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
      const text = Object.is(value, -0) ? '-0.0' : String(value);
      const read = parseStanJson(text);
      assert.ok(Object.is(read instanceof Real ? read.value : read, value), text);
    }),
  );
});

test('the result equals that of JSON.parse, with plain numbers', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      fc.pre(!text.includes('__proto__'));
      const normalized = JSON.stringify(JSON.parse(text));
      assert.equal(JSON.stringify(parseStanJson(normalized, { plainNumbers: true })), normalized);
    }),
  );
});

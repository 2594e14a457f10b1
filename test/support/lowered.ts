import assert from 'node:assert/strict';
import { check } from '../../src/check/check.js';
import { FUNCTIONS } from '../../src/functions/table.js';
import { Names } from '../../src/ir/builder.js';
import { lower } from '../../src/lower/lower.js';
import { parse } from '../../src/syntax/parse.js';

/** Lowers a program, which must be accepted by the parser and the checker. */
export function lowerText(text: string, functions = FUNCTIONS): ReturnType<typeof lower> {
  const parsed = parse({ name: 'string', text }, new Map());
  assert.ok('program' in parsed);
  const checked = check(parsed.program, FUNCTIONS);
  assert.ok('program' in checked);
  return lower(checked.program, functions, new Names());
}

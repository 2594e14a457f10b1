import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { FUNCTIONS } from '../../src/functions/table.js';
import { FUNCTION_CASES, readCases } from '../reference/stan.js';
import { buildModel, compileProgram } from './engine.js';
import { type ReferenceNumber, toNumber } from './outcome.js';

/**
 * The terms that `~` drops depend on the arguments' levels, not on whether they are containers. A density of containers with equal elements
 * is therefore a multiple of real Stan's number for the scalars. This is checked for each recorded choice of data and parameters, with
 * every argument as a container and with only the first one.
 */

interface Case {
  readonly id: string;
  readonly function: string;
  readonly signature: string;
  readonly kind: string;
  readonly program: string;
  readonly data: Readonly<Record<string, ReferenceNumber>>;
  readonly points: readonly (readonly ReferenceNumber[])[];
  readonly expected: readonly { readonly error?: string; readonly log_prob_propto?: ReferenceNumber }[];
}

const COUNT = 3;
const FORM = { propto: true, jacobian: true };
const SCALARS = /^\w+_lp[dm]f\((?:int|real)(?:, (?:int|real))*\) => real$/;
const STATEMENT = /~|_lup[dm]f/;

/** The case with some of its arguments replaced by containers of `COUNT` elements. */
function widened({ program, data }: Case, isContainer: (argument: string) => boolean): [string, string] {
  const text = program
    .replace(/^.*real r = .*\n/m, '')
    .replace(/^ {2}(real|int) (a\d+)(?: = (.*))?;$/gm, (line, type: string, name: string, value?: string) => {
      if (!isContainer(name)) return line;
      const declaration = type === 'int' ? `array[${COUNT}] int ${name}` : `vector[${COUNT}] ${name}`;
      return value === undefined ? `  ${declaration};` : `  ${declaration} = rep_vector(${value}, ${COUNT});`;
    });
  const wide = Object.entries(data).map(([name, value]) => {
    return [name, isContainer(name) ? new Array<ReferenceNumber>(COUNT).fill(value) : value];
  });
  return [text, JSON.stringify(Object.fromEntries(wide))];
}

/** Whether every argument may be a container. */
function isVectorized(name: string): boolean {
  const documentation = FUNCTIONS.entry(name)?.documentation;
  if (documentation === undefined || !('arguments' in documentation)) return false;
  const { arguments: rows } = documentation;
  const isWide = (row: unknown): boolean =>
    typeof row === 'object' && row !== null && 'kind' in row && row.kind !== 'int';
  return Array.isArray(rows) && rows.every(isWide);
}

describe('densities of containers drop the constants that real Stan drops for scalars', () => {
  for (const path of FUNCTION_CASES) {
    const cases = readCases<Case>(path).filter(({ kind, signature, program, id }) => {
      return kind === 'density' && SCALARS.test(signature) && STATEMENT.test(program) && !id.includes('truncated');
    });
    for (const name of new Set(cases.map((each) => each.function))) {
      if (!isVectorized(name)) continue;
      it(`${name}, ${basename(path)}`, () => {
        for (const each of cases.filter((one) => one.function === name)) {
          for (const isContainer of [(argument: string) => argument === 'a1', () => true]) {
            const [program, data] = widened(each, isContainer);
            const model = buildModel(compileProgram(program), data);
            for (const [k, point] of each.points.entries()) {
              const { error, log_prob_propto: recorded } = each.expected[k];
              if (error !== undefined || recorded === undefined) continue;
              const expected = COUNT * toNumber(recorded);
              if (Number.isNaN(expected)) continue;
              const found = model.logDensity(Float64Array.from(point, toNumber), FORM);
              const isSame = found === expected || Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
              assert.ok(isSame, `${each.id}, point ${k}: ${found}, not ${expected}\n${program}`);
            }
          }
        }
      });
    }
  }
});

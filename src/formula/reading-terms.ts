/** Validates terms from links and files. */
import { families } from './families.js';
import type { ModelTerms } from './model-terms.js';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) > 0;
const isTruth: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => Number.isFinite(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** Objects whose members pass their checks. */
const recordOf =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(members).every(([name, check]) => check(Object.getOwnPropertyDescriptor(value, name)?.value));

const CHECKS: Readonly<Record<keyof ModelTerms, Check>> = {
  family: (value) => families.some((family) => family === value),
  outcome: isText,
  outcomeRows: optional(recordOf({ known: isText, missing: isText })),
  heading: isText,
  labels: optional(listOf(isText)),
  intercept: optional(isText),
  cutpoints: optional(isText),
  predictors: listOf(recordOf({ name: isText, heading: isText, level: optional(isText), reference: optional(isText) })),
  summands: listOf(
    recordOf({
      coefficient: isText,
      group: optional(isText),
      position: optional(isCount),
      predictors: listOf(isText),
      center: isNumber,
    }),
  ),
  missing: optional(listOf(isText)),
  offsets: listOf(recordOf({ variable: isText, isLog: isTruth })),
  effects: listOf(recordOf({ quantity: isText, predictor: isText })),
  statements: listOf(isText),
};

const areChecked = recordOf(CHECKS);

export function areTerms(value: unknown): value is ModelTerms {
  return areChecked(value);
}

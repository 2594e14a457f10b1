/** Converts TypeBox errors of a request to details that name every invalid field once. */
import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { Compile } from 'typebox/schema';
import { type ErrorDetail, problems } from '../errors.js';

/** A check of one schema. Returns the problems of the value. */
export type Check = (value: unknown) => readonly ErrorDetail[];

/** Compiles a schema when it is first used, because a server has dozens of them. */
function compileCheck(schema: TSchema): Check {
  let compiled: ReturnType<typeof Compile> | undefined;
  return (value) => {
    compiled ??= Compile(schema);
    return compiled.Check(value) ? [] : detailsOf(compiled.Errors(value)[1], value);
  };
}

/**
 * Fastify's validator compiler. An absent body counts as an empty object, so that missing required fields are reported
 * by name.
 */
export function validatorCompiler({ schema, httpPart }: { schema: TSchema; httpPart?: string }) {
  const check = compileCheck(schema);
  return (value: unknown) => {
    const given = httpPart === 'body' && (value === undefined || value === null) ? {} : value;
    const details = check(given);
    return details.length === 0 ? { value: given } : { error: problems.invalidRequest(details) };
  };
}

function detailsOf(errors: readonly TLocalizedValidationError[], value: unknown): ErrorDetail[] {
  const byField = new Map<string, string[]>();
  const say = (field: string, message: string) => {
    const messages = byField.get(field) ?? [];
    if (!messages.includes(message)) byField.set(field, [...messages, message]);
  };
  for (const error of errors) {
    const path = error.instancePath;
    switch (error.keyword) {
      case 'required':
        for (const name of error.params.requiredProperties) say(`${path}/${pointerPart(name)}`, 'is required');
        break;
      case 'additionalProperties':
        for (const name of error.params.additionalProperties)
          say(`${path}/${pointerPart(name)}`, 'is not a known field');
        break;
      case 'enum':
        say(path, `must be one of ${error.params.allowedValues.map((allowed) => JSON.stringify(allowed)).join(', ')}`);
        break;
      case 'boolean':
      case 'anyOf':
        break;
      case 'type':
        if (!isOfOtherBranch(error, value)) say(path, expectation(error.params.type));
        break;
      default:
        say(path, error.message);
    }
  }
  return [...byField].map(([field, messages]) => ({ field, message: messages.join(' or ') }));
}

/** A body may be an array or an object. Errors of the other branch are omitted. */
function isOfOtherBranch(error: TLocalizedValidationError, value: unknown): boolean {
  if (error.keyword !== 'type' || error.instancePath !== '' || !error.schemaPath.includes('anyOf')) return false;
  return typeof value === 'object' && value !== null;
}

function expectation(type: string | readonly string[]): string {
  const names = typeof type === 'string' ? [type] : type;
  return `must be ${names.map((name) => (/^[aeio]/.test(name) ? `an ${name}` : `a ${name}`)).join(' or ')}`;
}

function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

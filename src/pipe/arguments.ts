/** Arguments of a method as a user of a package typed them. */
import { type RefitSampler, RequestError, type RunOptions } from '../library/public.js';
import { methodRequest } from '../library/requests.js';
import {
  type Caller,
  type NamedArguments,
  nameArguments,
  nameCompileArguments,
  withTypedNames,
} from '../requests/argument-names.js';
import type { MethodName } from '../requests/methods.js';
import type { EngineRequest } from './requests.js';

export interface Call extends Pick<NamedArguments, 'fields' | 'typed'> {
  readonly options: Pick<RunOptions, 'parallelChains'>;
}

/** Reads arguments with the names of any Stan interface. Throws `RequestError`. */
export function readCall(method: MethodName, given: NamedArguments['fields'], caller: Caller): Call {
  const { fields, parallelChains, problems, typed } = nameArguments(method, given, caller);
  if (problems.length > 0) throw new RequestError(problems);
  return { fields, typed, options: parallelChains === undefined ? {} : { parallelChains } };
}

/** Reads arguments for compiling a program. Throws `RequestError`. */
export function compileArguments(given: NamedArguments['fields'], caller: Caller): NamedArguments['fields'] {
  const { fields, problems } = nameCompileArguments(given, caller);
  if (problems.length > 0) throw new RequestError(problems);
  return fields;
}

/** The error with the names that were typed. */
export function withNamesOf({ typed }: Pick<Call, 'typed'>, error: unknown): unknown {
  return error instanceof RequestError ? new RequestError(withTypedNames(error.problems, typed)) : error;
}

/** Performs cross-validation with the arguments of the sampler of refits, or without refits. */
export async function withSampler<Result>(
  given: NamedArguments['fields'] | undefined,
  perform: (sampler: RefitSampler | false) => Promise<Result>,
): Promise<Result> {
  if (given === undefined) return perform(false);
  const call = readCall('sample', given, 'python');
  try {
    return await perform(call.fields);
  } catch (error) {
    throw withNamesOf(call, error);
  }
}

/** The request to a server, and the name that was typed for each of its fields. */
export function serverRequest(request: Extract<EngineRequest, { readonly op: 'method' }>): object {
  const call = readCall(request.method, request.fields, request.caller);
  const { fields, options, typed } = call;
  if (options.parallelChains !== undefined) {
    const field = typed.get('parallel_chains') ?? 'parallel_chains';
    throw new RequestError([{ field, message: 'cannot be passed to a server, which schedules the chains.' }]);
  }
  try {
    return { request: methodRequest(request.method, fields), typed: Object.fromEntries(typed) };
  } catch (error) {
    throw withNamesOf(call, error);
  }
}

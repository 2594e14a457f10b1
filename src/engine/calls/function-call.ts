/** Calls of the functions that a program declares. */

import type { Compiler, ProgramSource } from '../../chain/compiler.js';
import type { CompiledModel, EngineModel, MemoryLimits, ModelHost } from '../../chain/model-host.js';
import { FailedCall, Misfit } from '../../chain/refusal.js';
import {
  type CallableFunction,
  type CallingProgram,
  callableFunctions,
  callingProgram,
  showSignature,
} from '../../derive/callable.js';
import type { ProgramText } from '../../derive/program-text.js';
import { type JsonData, parseStanJson, type StanJson } from '../../formats/stan-json.js';
import { suffixOf } from '../../language/suffixes.js';
import { showType } from '../../language/types.js';
import { chooseFunction } from './overloads.js';
import { type JsonValue, resultValue } from './result-value.js';

export interface FunctionCall {
  readonly source: ProgramSource;
  readonly name: string;
  /** A JSON array with the arguments in Stan's JSON format. */
  readonly arguments: string;
  /** Types of the parameters, to select an overload. */
  readonly signature?: readonly string[];
  /** Seed of functions that end in `_rng`. */
  readonly seed: number;
}

export interface FunctionValue {
  /** In Stan's JSON format; null for a function that returns nothing. */
  readonly result: JsonValue | null;
  /** Stan's type of the result. */
  readonly type: string;
  /** The function that was called, with its types: `real f(vector x)`. */
  readonly signature: string;
  /** Output of the function. */
  readonly output: string;
  /** The seed, for a function that draws random numbers. */
  readonly random_seed?: number;
}

const PARTS = { transformedParameters: true, generatedQuantities: true };
const NO_POSITION = new Float64Array();
/** Maximum number of programs, and of functions with calling programs, that are cached. */
const MOST_PROGRAMS = 16;
const MOST_FUNCTIONS = 32;

interface Calling {
  readonly program: CallingProgram;
  readonly model: CompiledModel;
}

/** Compiles a program for each function that is called, and caches the most recent ones. */
export class FunctionCaller {
  private readonly compiler: Compiler;
  private readonly host: ModelHost;
  private readonly declared = new Map<string, readonly CallableFunction[]>();
  private readonly calling = new Map<string, Calling>();

  constructor(compiler: Compiler, host: ModelHost) {
    this.compiler = compiler;
    this.host = host;
  }

  /** Calls a function. Throws `Misfit` for an invalid call, and errors of the host if the function fails. */
  call(request: FunctionCall, limits: MemoryLimits): FunctionValue {
    const { name, seed, signature, source } = request;
    const text = textOf(source);
    const functions = kept(this.declared, MOST_PROGRAMS, keyOf(text), () => callableFunctions(text));
    const { args, called, sizes } = chooseFunction(functions, name, readArguments(request.arguments), signature);
    const shown = showSignature(called);
    const calling = kept(this.calling, MOST_FUNCTIONS, `${shown}\n${keyOf(text)}`, () => this.compile(text, called));
    let output = '';
    const print = (printed: string): void => {
      output += printed;
    };
    const given = argumentData(calling.program, args, sizes);
    try {
      const result = this.evaluate(calling, called, given, { seed, print, limits });
      const common = { result, type: showType(called.result), signature: shown, output };
      return suffixOf(name) === 'rng' ? { ...common, random_seed: seed } : common;
    } catch (error) {
      const isLimit = this.host.isShortage(error) || this.host.isOverLimit(error);
      const blame = isLimit ? undefined : this.host.blame(error);
      if (blame === undefined) throw error;
      throw new FailedCall(withoutCall(blame.message, calling.program), blame.detail);
    }
  }

  private compile(text: ProgramText, called: CallableFunction): Calling {
    const program = callingProgram(text, called);
    const { includes, name, text: code } = program.source;
    const compilation = this.compiler.compile({ name, program: code, includes });
    if (!compilation.compiled) throw new Misfit(`${called.name} cannot be compiled: ${compilation.text}`);
    const module = new WebAssembly.Module(new Uint8Array(compilation.wasm));
    return { program, model: { id: called.name, artifact: compilation.artifact, module } };
  }

  private evaluate(calling: Calling, called: CallableFunction, given: JsonData, how: Evaluation): JsonValue | null {
    const { result } = calling.program;
    if (result === undefined) {
      this.generate(calling, given, how, () => undefined);
      return null;
    }
    const { foundSizes, name, probe, sizes } = result;
    let found: readonly number[] = [];
    if (probe !== undefined && foundSizes !== undefined) {
      const unknown = { ...given, ...Object.fromEntries(sizes.map((size) => [size, 0])), [probe]: 1 };
      const silent = { ...how, print: () => undefined };
      found = this.generate(calling, unknown, silent, (names, values) => [
        ...valuesOf(foundSizes, names, values).values,
      ]);
    }
    const known = Object.fromEntries(sizes.map((size, index) => [size, found[index]]));
    const all = { ...given, ...known, ...(probe !== undefined && { [probe]: 0 }) };
    return this.generate(calling, all, how, (names, values) => {
      const own = valuesOf(name, names, values);
      return resultValue(called.result, found, own.names, own.values);
    });
  }

  private generate<Found>(
    { model }: Calling,
    data: JsonData,
    { limits, print, seed }: Evaluation,
    read: (names: readonly string[], values: Float64Array) => Found,
  ): Found {
    const instance: EngineModel = this.host.instantiate(model, data, { seed, print, ...limits });
    try {
      const names = instance.constrainedNames(PARTS);
      const values = new Float64Array(names.length);
      instance.seedRandom(seed, 1);
      instance.writeArray(NO_POSITION, values, PARTS);
      return read(names, values);
    } finally {
      instance.close?.();
    }
  }
}

interface Evaluation {
  readonly seed: number;
  readonly print: (text: string) => void;
  readonly limits: MemoryLimits;
}

function textOf({ includes, name = 'string', program }: ProgramSource): ProgramText {
  return { name, text: program, includes };
}

function keyOf({ includes, text }: ProgramText): string {
  return JSON.stringify([text, includes]);
}

/** The value of a key, created if absent. Drops the least recently used value if there are more than the maximum. */
function kept<Value>(values: Map<string, Value>, most: number, key: string, make: () => Value): Value {
  const value = values.get(key) ?? make();
  values.delete(key);
  values.set(key, value);
  const [oldest] = values.keys();
  if (values.size > most && oldest !== undefined) values.delete(oldest);
  return value;
}

/** Reads each argument separately, because one real in an array of numbers would turn ints into reals. */
function readArguments(text: string): readonly StanJson[] {
  const args = parseStanJson(text);
  if (!(args instanceof Float64Array) && !Array.isArray(args)) throw new Misfit('the arguments must be an array');
  if (args.length === 0) return [];
  const apart = parseStanJson(text.replace('[', '[null,'));
  if (!Array.isArray(apart)) throw new Error('an array that begins with null is read as another value');
  return apart.slice(1);
}

function argumentData(
  program: CallingProgram,
  args: readonly StanJson[],
  sizes: readonly (readonly number[])[],
): JsonData {
  return Object.fromEntries(
    program.arguments.flatMap(({ name, sizes: names }, index) => [
      ...names.map((size, place): [string, StanJson] => [size, sizes[index][place]]),
      [name, args[index]] satisfies [string, StanJson],
    ]),
  );
}

/** The numbers of one variable among the outputs of a program. */
function valuesOf(
  variable: string,
  names: readonly string[],
  values: Float64Array,
): { readonly names: readonly string[]; readonly values: Float64Array } {
  const isOwn = (name: string): boolean => name.split(/[.:]/, 1)[0] === variable;
  return { names: names.filter(isOwn), values: values.filter((_, position) => isOwn(names[position])) };
}

const LAST_PLACE = / \(in '[^']*', line (\d+), column \d+ to column \d+\)$/;

/** The message of a failed function without the location of its call, because the call is not in the client's program. */
function withoutCall(message: string, { lastLine }: CallingProgram): string {
  const line = LAST_PLACE.exec(message)?.[1];
  if (line === undefined || Number(line) <= lastLine) return message;
  return message.replace(LAST_PLACE, '').replace(/^Exception: (?=Exception: )/, '');
}

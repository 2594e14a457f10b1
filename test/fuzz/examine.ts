import { analyze } from '../../src/analyze.js';
import { type CompileSuccess, compile, isCompiled } from '../../src/compile.js';
import { ModelError, Rejection } from '../../src/model/errors.js';
import { instantiate, type Model } from '../../src/model/model.js';
import { loadKernels } from '../../src/node/kernels.js';
import type { Diagnostic } from '../../src/source/diagnostic.js';
import type { Position } from '../../src/source/span.js';
import type { Program } from '../../src/syntax/ast.js';
import { format } from '../../src/syntax/format.js';
import { parse } from '../../src/syntax/parse.js';
import { shapeOf } from '../formatting/shape.js';
import { verifyStages } from '../support/verify-stages.js';
import { type Family, LONGEST_COMPILATION } from './cases.js';
import { randomData } from './data.js';
import { Random } from './random.js';

const { library, linear } = loadKernels();
const linearModule = new WebAssembly.Module(linear);

const FORMS = [
  { propto: false, jacobian: true },
  { propto: true, jacobian: false },
];
const ALL = { transformedParameters: true, generatedQuantities: true };
const MEMORY = 2 ** 26;
/**
 * Distance to the second point that is tried if the density differs from its value with the gradient: if parameters are equal, a rounding
 * error may determine whether the density has a pole, as in logit(x / x). Such points are isolated.
 */
const BESIDE = 1e-9;

/** Messages of the WebAssembly engine. A compiled program must report its own error before it traps. */
const TRAP =
  /unreachable|out of bounds$|indirect call|null function|unrepresentable|divide by zero$|remainder by zero|integer overflow|illegal cast|table index/;

/** The stage of the pipeline at which a program ended. */
export type Ending = 'unreadable' | 'refused' | 'unsupported' | 'not instantiated' | 'not evaluated' | 'evaluated';

/** A failure that must not occur for any input. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

/**
 * Runs every stage of the compiler on an input: parses, checks, formats and compiles it, and evaluates it with random data at random
 * points. Errors in the program must be reported as such; a defect of the compiler throws. `beforeEvaluation` is called before the program
 * itself runs, because it may never return.
 */
export function examine(
  text: string,
  seed: number,
  family: Family = 'programs',
  beforeEvaluation: () => void = () => {},
): Ending {
  const random = new Random(seed);
  const compilation = LONGEST_COMPILATION[family];
  within('analyze', compilation, () => examineAnalysis(text));
  const program = examineFormat(text);
  if (program === undefined) return 'unreadable';
  // Verifying the IR also takes time.
  const isVerified = random.chance(0.2);
  const callsAll = random.chance(0.3);
  const compiled = isVerified
    ? within('compile', 2 * compilation, () => verifyStages(text, { callsAll }))
    : within('compile', compilation, () => compile(text, library, { callsAll }));
  if (!isCompiled(compiled)) {
    examineDiagnostics(compiled.diagnostics, text);
    return compiled.diagnostics.some(({ kind }) => kind === 'unsupported') ? 'unsupported' : 'refused';
  }
  beforeEvaluation();
  return evaluate(compiled, program, random);
}

const DENSITIES = Array.from({ length: 60 }, (_, k) => `  y ~ normal(a + b * x + ${k}, s);`);
const REFERENCE = `data { int N; vector[N] x; vector[N] y; }
parameters { real a; real b; real<lower=0> s; }
model {
${DENSITIES.join('\n')}
}`;
/** Processor time of the reference program in seconds, when it was last measured. */
let reference: number | null = null;

/** Runs it. It is a finding if this takes longer than `slowest` compilations of the reference program, unless a second run is faster. */
function within<T>(what: string, slowest: number, run: () => T): T {
  reference ??= secondsFor(() => compile(REFERENCE, library)).seconds;
  let fastest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt++) {
    const { result, seconds } = secondsFor(run);
    if (seconds <= slowest * reference) return result;
    // The machine may be slower now than it was.
    reference = secondsFor(() => compile(REFERENCE, library)).seconds;
    fastest = Math.min(fastest, seconds / reference);
    if (fastest <= slowest) return result;
  }
  throw new Finding(`${what} takes as long as ${fastest.toFixed(1)} compilations of a program of 60 densities`);
}

function secondsFor<T>(run: () => T): { readonly result: T; readonly seconds: number } {
  const start = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(start);
  return { result, seconds: (user + system) / 1e6 };
}

function examineAnalysis(text: string): void {
  const { errors, warnings } = analyze(text, { pedantic: true });
  examineDiagnostics([...errors, ...warnings], text);
}

function examineDiagnostics(diagnostics: readonly Diagnostic[], text: string): void {
  const lines = text.split(/\r*\n|\r/).length;
  const isWithin = ({ offset, line, column }: Position): boolean =>
    offset >= 0 && offset <= text.length && line >= 1 && line <= lines && column >= 0;
  for (const { message, span } of diagnostics) {
    const { begin, end } = span;
    if (message.trim() === '') throw new Finding('a diagnostic without words');
    if (!isWithin(begin) || !isWithin(end) || begin.offset > end.offset) {
      const place = ({ offset, line, column }: Position): string => `${offset} (${line}:${column})`;
      throw new Finding(`a span outside of the text: ${place(begin)} to ${place(end)} of "${message}"`);
    }
  }
}

/** The formatted text is the same program, and formatting it again changes nothing. */
function examineFormat(text: string): Program | undefined {
  const read = parse({ name: 'string', text });
  if ('diagnostics' in read) return undefined;
  const formatted = format(read.program);
  const again = parse({ name: 'string', text: formatted });
  if ('diagnostics' in again)
    throw new Finding(`formatted, it can't be read: ${again.diagnostics[0].message}\n${formatted}`);
  if (shapeOf(again.program) !== shapeOf(read.program))
    throw new Finding(`formatted, it is another program:\n${formatted}`);
  if (format(again.program) !== formatted) throw new Finding(`formatting its formatted text changes it:\n${formatted}`);
  return read.program;
}

function evaluate(compiled: CompileSuccess, program: Program, random: Random): Ending {
  const data = randomData(program, random);
  const module = new WebAssembly.Module(compiled.wasm);
  const built = outcomeOf(() =>
    instantiate(compiled.artifact, module, linearModule, data, { seed: 1, print: () => {}, maximumMemory: MEMORY }),
  );
  if (typeof built === 'string') return 'not instantiated';
  let ending: Ending = 'not evaluated';
  for (let point = 0; point < 3; point++) {
    const position = Float64Array.from({ length: built.dimension }, () => (point === 0 ? 0.1 : 2 * random.smallReal()));
    if (evaluateAt(built, position)) ending = 'evaluated';
  }
  return ending;
}

/** Whether the density has a value at the point. */
function evaluateAt(model: Model, position: Float64Array): boolean {
  const gradient = new Float64Array(model.dimension);
  const beside = position.map((value, k) => value * (1 + BESIDE * (k + 1)));
  const values = FORMS.map((form) => {
    const both = (at: Float64Array) => ({
      plain: outcomeOf(() => model.logDensity(at, form)),
      value: outcomeOf(() => model.logDensityGradient(at, gradient, form)),
    });
    const { plain, value } = both(position);
    if (isSame(plain, value)) return value;
    const next = both(beside);
    if (!isSame(next.plain, next.value)) throw new Finding(`log density ${plain}, with its gradient ${value}`);
    return value;
  });
  model.seedRandom(1, 1);
  const out = new Float64Array(model.constrainedNames(ALL).length);
  outcomeOf(() => model.writeArray(position, out, ALL));
  return values.some((value) => typeof value === 'number');
}

/** The tape of a gradient takes memory that the density alone does not require. */
const OUT_OF_MEMORY = /needs more memory than the limit/;

/** Equal except for rounding; if several checks fail, any of them may come first. */
function isSame(one: number | string, other: number | string): boolean {
  if (typeof other === 'string' && OUT_OF_MEMORY.test(other)) return true;
  if (typeof one === 'string' || typeof other === 'string') return typeof one === typeof other;
  return Object.is(one, other) || !(Math.abs(one - other) > 1e-8 * Math.max(1, Math.abs(one)));
}

/** The value, or the message with which the program stopped. */
function outcomeOf<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof ModelError)) throw error;
    if (TRAP.test(error.message)) throw new Finding(`a trap: ${error.message}`);
    return error.message;
  }
}

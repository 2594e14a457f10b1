/** The method `log_prob`: the log density and its gradient at given points. */

import type { EngineModel } from '../chain/model-host.js';
import { DrawPositions, parametersProblem } from '../chain/positions.js';
import { inSlices } from '../chain/slicing.js';
import { csvRow } from '../formats/csv.js';
import { JsonSyntaxError, parseStanData } from '../formats/stan-json.js';
import { MAXIMUM_MEMORY, openHost, programOf, slicedProgram } from './chain-task.js';
import type { Executable } from './executable.js';
import { Failure } from './failure.js';
import { splitSuffix } from './file-names.js';
import { readVariables } from './input-files.js';
import type { MethodArguments } from './method-request.js';
import { TextFile } from './output.js';
import type { Console } from './parser.js';
import { readCsvFile, storedDraws } from './stored-csv.js';

interface LogProbOptions {
  readonly executable: Executable;
  /** JSON text. */
  readonly data: string;
  readonly given: MethodArguments;
  readonly comments: string;
  readonly digits: number;
  readonly seed: number;
  /** Number of threads that evaluate the log density, in slices if greater than 1. */
  readonly threads: number;
  readonly console: Console;
}

/** Writes one row per point. Returns false if a point cannot be evaluated. */
export async function logProb(options: LogProbOptions): Promise<boolean> {
  const { comments, console, data, digits, given, seed, threads } = options;
  const host = openHost();
  const blamed = <Result>(action: () => Result, words = ''): Result => {
    try {
      return action();
    } catch (error) {
      const blame = host.blame(error);
      if (error instanceof JsonSyntaxError) throw new Failure(error.message);
      if (blame === undefined) throw error;
      throw new Failure(blame.message + words);
    }
  };
  const limits = { maximumMemory: MAXIMUM_MEMORY };
  const print = (text: string) => console.info(text.trimEnd());
  const compiled = threads > 1 ? await slicedProgram(options.executable) : programOf(options.executable);
  const model = blamed(() => host.instantiate(compiled, parseStanData(data), { seed, print, ...limits }));
  const points = blamed(() => pointsOf(options, model, host), BAD_VALUES);
  const origin = { model: compiled, data: () => data, seed, limits };
  const sliced = threads > 1 ? inSlices(host, model, origin, threads) : undefined;

  const file = new TextFile(given.text('output.file'));
  file.write(
    `${comments}lp__,${model
      .unconstrainedNames()
      .map((name) => `g_${name}`)
      .join(',')}\n`,
  );
  const form = { propto: true, jacobian: given.flag('own.jacobian') };
  const row = new Float64Array(model.dimension + 1);
  const gradient = row.subarray(1);
  try {
    for (const point of points) {
      row[0] = (sliced ?? model).logDensityGradient(point, gradient, form);
      file.write(csvRow(row, digits));
    }
    return true;
  } catch (error) {
    const blame = host.blame(error);
    if (blame === undefined) throw error;
    console.error(`Error during log_prob calculation:\n${blame.message}\n`);
    return false;
  } finally {
    sliced?.close();
    file.close();
  }
}

const BAD_VALUES = '\nBad or missing parameter values, cannot unconstrain.\n';

function pointsOf(
  { console, given }: LogProbOptions,
  model: EngineModel,
  host: ReturnType<typeof openHost>,
): readonly Float64Array[] {
  const unconstrained = given.text('own.unconstrained_params');
  const constrained = given.text('own.constrained_params');
  if (unconstrained === '' && constrained === '') {
    throw new Failure('No input parameter files provided, cannot calculate log probability density.');
  }
  if (unconstrained !== '' && constrained !== '') {
    throw new Failure('Cannot specify both input files of both constrained and unconstrained parameter values.');
  }
  if (unconstrained !== '') return unconstrainedPoints(readVariables(unconstrained, console), model);
  if (splitSuffix(constrained).suffix !== '.csv') {
    return [model.unconstrain(parseStanData(readVariables(constrained, console)))];
  }
  const stored = storedDraws(readCsvFile(constrained));
  if (parametersProblem(model, stored) !== undefined)
    throw new Failure(`Mismatch between model and fitted_parameters csv file "${constrained}"\n`);
  const positions = new DrawPositions(host, model, stored);
  return Array.from(stored.read(1), (draw) => {
    const position = new Float64Array(model.dimension);
    const failure = positions.read(draw, position);
    if (failure !== undefined) throw new Failure(failure.message + BAD_VALUES);
    return position;
  });
}

/** The rows of `params_r`; if it is a vector, one row. */
function unconstrainedPoints(text: string, { dimension }: EngineModel): Float64Array[] {
  const { params_r: given }: { readonly params_r?: readonly unknown[] } = JSON.parse(text);
  if (given === undefined || given.length === 0) {
    throw new Failure("Unconstrained parameters file has no variable 'params_r' with unconstrained parameter values!");
  }
  const rows = Array.isArray(given[0]) ? given : [given];
  return rows.map((row) => {
    const values = Float64Array.from(Array.isArray(row) ? row : [row], Number);
    if (values.length === dimension) return values;
    throw new Failure(
      `Incorrect number of unconstrained parameters provided! Model has ${dimension} parameters but ${values.length} were found.`,
    );
  });
}

/** `bin/stansummary`: summarizes each quantity of a sampler's draws, as CmdStan's table. */

import { existsSync, writeFileSync } from 'node:fs';
import { displayName } from '../formats/columns.js';
import { type DrawStatistics, statisticsOf } from '../inference/diagnostics/draw-statistics.js';
import { autocorrelation } from '../inference/diagnostics/effective-sample-size.js';
import { medianAbsoluteDeviation } from '../inference/diagnostics/moments.js';
import { fixedText, scientificText, streamText } from '../inference/number-text.js';
import { printProblem, printText } from '../node/standard-streams.js';
import { Failure } from './failure.js';
import { readSamplerFiles, type SamplerRun } from './sampler-files.js';

const USAGE = `Usage: stansummary [OPTIONS] stan_csv_file(s)
Report statistics for one or more Stan csv files from a HMC sampler run.
Example:  stansummary model_chain_1.csv model_chain_2.csv
Options:
  -a, --autocorr [n]          Display the chain autocorrelation for the n-th
                              input file, in addition to statistics.
  -c, --csv_filename [file]   Write statistics to a csv file.
  -h, --help                  Produce help message, then exit.
  -p, --percentiles [values]  Percentiles to report as ordered set of
                              comma-separated numbers from (0.0,100.0), inclusive.
                              Default is 5,50,95.
  -s, --sig_figs [n]          Significant figures reported. Default is 2.
                              Must be an integer from (1, 18), inclusive.
  -i, --include_param [name]  Include the named parameter in the summary output.
                              By default, all parameters in the file are summarized,
                              passing this argument one or more times will filter
                              the output down to just the requested arguments.
`;

const OPTIONS: ReadonlyMap<string, keyof Options> = new Map([
  ['a', 'autocorr'],
  ['autocorr', 'autocorr'],
  ['c', 'csv'],
  ['csv_filename', 'csv'],
  ['p', 'percentiles'],
  ['percentiles', 'percentiles'],
  ['s', 'digits'],
  ['sig_figs', 'digits'],
  ['i', 'include'],
  ['include_param', 'include'],
]);

interface Options {
  autocorr?: string;
  csv?: string;
  percentiles?: string;
  digits?: string;
  include?: string;
}

/** Exit codes of CLI11, the command-line parser of CmdStan's tool. */
const WRONG_VALUE = 105;
const MISSING_FILES = 106;
const UNKNOWN_OPTION = 109;
const MISSING_VALUE = 114;

/** An invalid command line. */
class WrongWords extends Failure {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs the tool with the arguments after its name, and returns the exit code. */
export function runStansummary(words: readonly string[]): number {
  try {
    if (words.length === 0) throw new Failure(USAGE);
    if (words.includes('-h') || words.includes('--help')) {
      printText(`${USAGE}\n`);
      return 0;
    }
    return summarize(words);
  } catch (error) {
    if (error instanceof WrongWords) {
      printProblem(`${error.message}\nRun with --help for more information.\n`);
      return error.code;
    }
    if (!(error instanceof Failure)) throw error;
    printText(`${error.message}\n`);
    return 1;
  }
}

function readWords(words: readonly string[]): { options: Options; included: string[]; files: string[] } {
  const options: Options = {};
  const included: string[] = [];
  const files: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name, given] = /^--?([a-z_]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) {
      files.push(word);
      continue;
    }
    const option = OPTIONS.get(name);
    const value = given ?? rest.shift();
    if (option === undefined) throw new WrongWords(UNKNOWN_OPTION, `The following argument was not expected: ${word}`);
    if (value === undefined) throw new WrongWords(MISSING_VALUE, `${word}: 1 required value missing`);
    if (option === 'include') included.push(displayName(value));
    else options[option] = value;
  }
  return { options, included, files };
}

function summarize(words: readonly string[]): number {
  const { files, included, options } = readWords(words);
  const digits = options.digits === undefined ? 2 : Number(options.digits);
  if (!Number.isInteger(digits) || digits < 1 || digits > 18) {
    throw new WrongWords(WRONG_VALUE, `--sig_figs: Value ${options.digits} not in range 1 to 18`);
  }
  if (files.length === 0) throw new WrongWords(MISSING_FILES, 'input_files is required');
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new WrongWords(WRONG_VALUE, `input_files: File does not exist: ${missing}`);
  if (options.csv !== undefined && existsSync(options.csv)) {
    throw new WrongWords(WRONG_VALUE, `--csv_filename: Path already exists: ${options.csv}`);
  }
  const chain = options.autocorr === undefined ? undefined : Number(options.autocorr);
  if (chain !== undefined && !(chain > 0)) {
    throw new WrongWords(WRONG_VALUE, `--autocorr: Number less or equal to 0: (${options.autocorr})`);
  }
  if (chain !== undefined && chain > files.length) {
    throw new Failure(`Option --autocorr: ${options.autocorr} not a valid chain id.`);
  }
  const percentiles = readPercentiles(options.percentiles ?? '5,50,95');
  let run: SamplerRun;
  try {
    run = readSamplerFiles(files);
  } catch (error) {
    throw new Failure(`Error during processing. ${error instanceof Error ? error.message : error}`);
  }
  const table = new Table(run, percentiles, included, digits);
  printText(`${timing(run, '')}\n${table.text()}\n${samplerInfo(run, '')}`);
  if (chain !== undefined) printText(`${autocorrelationText(run, chain)}\n`);
  if (options.csv !== undefined) {
    const csvDigits = options.digits === undefined ? CSV_DIGITS : digits;
    writeFileSync(options.csv, `${table.csv(csvDigits)}${timing(run, '# ')}${samplerInfo(run, '# ')}`);
  }
  return 0;
}

const CSV_DIGITS = 6;

function readPercentiles(text: string): string[] {
  const words = text
    .trim()
    .split(/[, ]+/)
    .filter((word) => word !== '');
  const numbers = words.map(Number);
  const isRight = numbers.every((value, k) => value >= 0 && value <= 100 && (k === 0 || value >= numbers[k - 1]));
  if (isRight) return words;
  const said = 'values must be in range (0, 100), inclusive, and strictly increasing.';
  throw new Failure(`Option --percentiles ${text.trim()}: ${said}`);
}

interface Row {
  readonly name: string;
  readonly values: readonly number[];
}

/** Statistics of the log density, of the columns of the sampler, and of the columns of the model. */
class Table {
  private readonly header: readonly string[];
  private readonly density: readonly Row[];
  private readonly sampler: readonly Row[];
  private readonly model: readonly Row[];
  private readonly nameWidth: number;
  private readonly digits: number;

  constructor(run: SamplerRun, percentiles: readonly string[], included: readonly string[], digits: number) {
    this.digits = digits;
    this.header = [
      'Mean',
      'MCSE',
      'StdDev',
      'MAD',
      ...percentiles.map((p) => `${p}%`),
      'ESS_bulk',
      'ESS_tail',
      'R_hat',
    ];
    const probabilities = percentiles.map((percentile) => Number(percentile) / 100);
    const row = (column: number): Row => ({
      name: run.names[column],
      values: statisticsOf(run.draws(column), (statistics) => valuesOf(statistics, probabilities)),
    });
    const own = Math.max(1, run.names.filter((name) => name.endsWith('__')).length);
    const columns = [...run.names.keys()];
    const unknown = included.filter((name) => run.names.indexOf(name) < own);
    if (unknown.length > 0) {
      const names = unknown.map((name) => `'${name}' `).join('');
      throw new Failure(`--include_param: Unrecognized parameter(s): ${names}`);
    }
    const wanted = columns.slice(own).filter((column) => included.length === 0 || included.includes(run.names[column]));
    this.density = [row(0)];
    this.sampler = columns.slice(1, own).map(row);
    this.model = (included.length === 0 ? rowMajor(wanted, run.names) : wanted).map(row);
    this.nameWidth = Math.max(...run.names.map((name) => name.length));
  }

  text(): string {
    const { digits, header, model, nameWidth, sampler } = this;
    const samplerColumns = header.map((name, k) => columnOf(sampler, k, name, digits));
    const modelColumns = header.map((name, k) => columnOf(model, k, name, digits));
    const widths = header.map((_, k) => Math.max(samplerColumns[k].width, modelColumns[k].width));
    const lines = (rows: readonly Row[], columns: readonly Column[]) =>
      rows.map(({ name, values }) => {
        const cells = values.map((value, k) => cellText(value, columns[k], digits).padStart(widths[k]));
        return `${name.padEnd(nameWidth + 1)}${cells.join('')}\n`;
      });
    const head = `${' '.repeat(nameWidth + 1)}${header.map((name, k) => name.padStart(widths[k])).join('')}\n\n`;
    const own = [...lines(this.density, modelColumns), ...lines(sampler, samplerColumns)];
    return `${head}${own.join('')}\n${lines(model, modelColumns).join('')}`;
  }

  csv(digits: number): string {
    const rows = [...this.density, ...this.sampler, ...this.model];
    const lines = rows.map(
      ({ name, values }) => `"${name}",${values.map((value) => streamText(value, digits)).join(',')}\n`,
    );
    return `name,${this.header.join(',')}\n${lines.join('')}`;
  }
}

function valuesOf(statistics: DrawStatistics, probabilities: readonly number[]): number[] {
  return [
    statistics.mean,
    statistics.mcseMean,
    statistics.sd,
    medianAbsoluteDeviation(statistics.values),
    ...probabilities.map((probability) => statistics.quantile(probability)),
    statistics.essBulk,
    statistics.essTail,
    statistics.rhat,
  ];
}

/** Columns in the order of their indices, the last index varying fastest. In files, the first index varies fastest. */
function rowMajor(columns: readonly number[], names: readonly string[]): number[] {
  const base = (column: number) => names[column].replace(/\[.*/s, '');
  const indices = (column: number) => (/\[(.*)\]/.exec(names[column])?.[1] ?? '').split(',').map(Number);
  const places = new Map(columns.map((column, place) => [base(column), place] as const).reverse());
  return columns.toSorted((a, b) => {
    const byName = (places.get(base(a)) ?? 0) - (places.get(base(b)) ?? 0);
    if (byName !== 0) return byName;
    const [left, right] = [indices(a), indices(b)];
    const place = left.findIndex((index, k) => index !== right[k]);
    return place < 0 ? 0 : left[place] - right[place];
  });
}

interface Column {
  readonly width: number;
  readonly isScientific: boolean;
}

const PADDING = 2;
const WIDEST_FIXED = 8;

function columnOf(rows: readonly Row[], place: number, name: string, digits: number): Column {
  const values = rows.map((row) => row.values[place]);
  const fixed = Math.max(0, ...values.map((value) => fixedWidth(value, digits)));
  if (fixed + PADDING < WIDEST_FIXED) return { width: Math.max(name.length, fixed) + PADDING, isScientific: false };
  const scientific = digits + 5 + (values.some((value) => value < 0) ? 1 : 0);
  return { width: Math.max(name.length, scientific) + PADDING, isScientific: true };
}

function fixedWidth(value: number, digits: number): number {
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? 1 : 0;
  if (value === 0) return digits + sign;
  if (Number.isNaN(value)) return 3;
  if (size >= 1) {
    const whole = wholeDigits(size);
    return (whole >= digits ? whole : digits + 1) + sign;
  }
  return 1 + Math.abs(Math.floor(Math.log10(size))) + digits + sign;
}

/** Decimals of a number with `digits` significant digits. */
function decimalsOf(value: number, digits: number): number {
  const size = Math.abs(value);
  if (value === 0 || Number.isNaN(value)) return digits;
  if (size >= 1) return Math.max(0, digits - wholeDigits(size));
  return Math.abs(Math.floor(Math.log10(size))) + digits - 1;
}

function wholeDigits(size: number): number {
  return Math.ceil(Math.log10(size) + 1e-6);
}

function cellText(value: number, { isScientific }: Column, digits: number): string {
  return isScientific ? scientificText(value, digits - 1) : fixedText(value, decimalsOf(value, digits));
}

const TIMING_DIGITS = 2;

function timing(run: SamplerRun, prefix: string): string {
  const chains = run.draws(0);
  const saved = chains.reduce((sum, draws) => sum + draws.length, 0);
  return [
    `Inference for Stan model: ${run.model}`,
    `${chains.length} chains: each with iter=${run.iterations}; warmup=${run.warmup}; thin=${run.thin}; ${saved} iterations saved.`,
    '',
    `Warmup took ${durations(run.warmupSeconds)}`,
    `Sampling took ${durations(run.samplingSeconds)}`,
  ]
    .map((line) => `${prefix}${line}\n`)
    .join('');
}

function durations(seconds: readonly number[]): string {
  const text = (value: number) => fixedText(value, decimalsOf(value, TIMING_DIGITS));
  const total = seconds.reduce((sum, each) => sum + each, 0);
  const [divisor, unit] = total / 3600 > 1 ? [3600, 'hours'] : total / 60 > 1 ? [60, 'minutes'] : [1, 'seconds'];
  const whole = `${text(total / divisor)} ${unit}`;
  return seconds.length === 1 ? whole : `(${seconds.map(text).join(', ')}) seconds, ${whole} total`;
}

function samplerInfo({ algorithm, engine }: SamplerRun, prefix: string): string {
  return [
    `Samples were drawn using ${algorithm} with ${engine}.`,
    'For each parameter, ESS_bulk and ESS_tail measure the effective sample size for the entire sample (bulk) and for the .05 and .95 tails (tail), ',
    'and R_hat measures the potential scale reduction on split chains. At convergence R_hat will be very close to 1.00.',
  ]
    .map((line) => `${prefix}${line}\n`)
    .join('');
}

function autocorrelationText(run: SamplerRun, chain: number): string {
  const columns = run.names.map((_, column) => autocorrelation(run.draws(column)[chain - 1]));
  const width = Math.max(...run.names.map((name) => name.length)) + 1;
  const [{ length }] = columns;
  const lagWidth = String(length).length + 1;
  const head = `${'Lag'.padStart(Math.max(4, lagWidth))}${run.names.map((name) => name.padStart(width)).join('')}`;
  const rows = Array.from({ length }, (_, lag) => {
    const cells = columns.map((values) => streamText(values[lag]).padStart(width));
    return `${String(lag).padStart(lagWidth)}${cells.join('')}`;
  });
  return [`Displaying the autocorrelations for chain ${chain}:`, '', head, ...rows, ''].join('\n');
}

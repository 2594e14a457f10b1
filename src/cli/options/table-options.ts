/** Options of commands that print a table as text, CSV or JSON. */
import { Option } from 'commander';
import { significantDigits } from './values.js';

export function digitsOption(usual = 3): Option {
  return new Option('--sig-figs <integer>', 'significant digits in the table')
    .argParser(significantDigits)
    .default(usual);
}

/** The format of the output. `csvRows` describes the rows of CSV, if they are not those of the table. */
export function formatOption(csvRows?: string): Option {
  const description = csvRows === undefined ? 'output format' : `output format; csv has ${csvRows}`;
  return new Option('--format <word>', description).choices(['table', 'csv', 'json']).default('table');
}

import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { runAccuracy } from './accuracy.js';
import { runApproximations } from './approximations.js';
import { runFunctions } from './functions.js';
import { runModels } from './models.js';
import { runOptima } from './optima.js';
import { type Outcome, shares } from './outcome.js';
import { runSyntax } from './syntax.js';

/** Runs a set of reference cases of real Stan and says where we differ. */
const RUNNERS = {
  accuracy: runAccuracy,
  approximations: runApproximations,
  functions: runFunctions,
  models: runModels,
  optima: runOptima,
  syntax: runSyntax,
} as const;

type Kind = keyof typeof RUNNERS;

interface Options {
  readonly only?: string;
  readonly json?: string;
  readonly field?: string;
}

const program = new Command('conformance').description('Compares with reference numbers of real Stan.');
for (const kind of Object.keys(RUNNERS) as Kind[]) {
  program
    .command(`${kind} <path>`)
    .option('--only <regex>', 'run only the cases whose id matches')
    .option('--field <name>', 'show only the cases where this field differs')
    .option('--json <file>', 'write every outcome to a file')
    .action((path: string, options: Options) => {
      const outcomes: Outcome[] = [];
      for (const outcome of RUNNERS[kind](path, new RegExp(options.only ?? ''))) {
        outcomes.push(outcome);
        const isShown = options.field === undefined || outcome.fields?.[options.field] === false;
        if (outcome.verdict === 'failed' && isShown)
          console.log(
            `FAILED ${outcome.id}\n${outcome.details
              .slice(0, 6)
              .map((line) => `  ${line}`)
              .join('\n')}`,
          );
        if (outcome.verdict === 'unsupported') console.log(`unsupported ${outcome.id}: ${summary(outcome.details[0])}`);
      }
      if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(outcomes, null, 1));
      for (const [field, { same, all }] of shares(outcomes)) {
        console.log(`${field.padEnd(12)}${String(same).padStart(6)} of ${all}  ${((100 * same) / all).toFixed(1)} %`);
      }
      const count = (verdict: Outcome['verdict']): number => outcomes.filter((o) => o.verdict === verdict).length;
      console.log(
        `conformance ${kind}: ${count('passed')} passed, ${count('failed')} failed, ${count('unsupported')} unsupported`,
      );
      if (count('failed') > 0) process.exitCode = 1;
    });
}

/** The sentence of a compiler's message that says what is missing. */
function summary(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.at(-1) ?? text;
}

program.parse();

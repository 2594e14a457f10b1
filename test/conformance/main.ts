import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { filesBelow, ROOT } from '../project/tree.js';
import { FUNCTION_CASES, modelsFolder, SYNTAX_CASES } from '../reference/stan.js';
import { FAMILIES, recordsOf } from '../solvers/judge.js';
import { runAccuracy } from './accuracy.js';
import { runApproximations } from './approximations.js';
import { runFunctions } from './functions.js';
import { runModels } from './models.js';
import { runOptima } from './optima.js';
import { type Outcome, shares } from './outcome.js';
import { runSolvers } from './solvers.js';
import { runSyntax } from './syntax.js';

interface Runner {
  readonly run: (path: string, only: RegExp) => Iterable<Outcome>;
  /** The folder of the recorded cases, which run if no path is given. */
  readonly recorded: () => readonly string[];
}

/** Runs a set of reference cases of real Stan and reports differences. */
const RUNNERS: Readonly<Record<string, Runner>> = {
  accuracy: {
    run: runAccuracy,
    recorded: () => filesBelow('test/accuracy', '.jsonl.gz').map((path) => join(ROOT, path)),
  },
  approximations: { run: runApproximations, recorded: () => [modelsFolder()] },
  functions: { run: runFunctions, recorded: () => FUNCTION_CASES },
  models: { run: runModels, recorded: () => [modelsFolder()] },
  optima: { run: runOptima, recorded: () => [modelsFolder()] },
  solvers: { run: runSolvers, recorded: () => FAMILIES.map(recordsOf) },
  syntax: { run: runSyntax, recorded: () => SYNTAX_CASES },
};

interface Options {
  readonly only?: string;
  readonly json?: string;
  readonly field?: string;
}

const program = new Command('conformance').description('Compares with reference numbers of real Stan.');
for (const [kind, { run, recorded }] of Object.entries(RUNNERS)) {
  program
    .command(`${kind} [path...]`)
    .description('compare with the recorded cases, or with those of a file or folder')
    .option('--only <regex>', 'run only the cases whose id matches')
    .option('--field <name>', 'show only the cases where this field differs')
    .option('--json <file>', 'write every outcome to a file')
    .action((paths: readonly string[], options: Options) => {
      const outcomes: Outcome[] = [];
      const only = new RegExp(options.only ?? '');
      for (const outcome of outcomesOf(run, paths.length > 0 ? paths : recorded(), only)) {
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
      if (outcomes.length === 0) program.error(`No case of ${kind} has an id that matches --only '${only.source}'.`);
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

function* outcomesOf(run: Runner['run'], paths: readonly string[], only: RegExp): Generator<Outcome> {
  for (const path of paths) yield* run(path, only);
}

/** The sentence of a compiler's message that states what is missing. */
function summary(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.at(-1) ?? text;
}

program.parse();

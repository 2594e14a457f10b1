/** Entry point of the tools in a home's `bin`. The first argument is the tool's name. */
import { guardStandardStreams, printProblem } from '../node/standard-streams.js';
import { isSystemError } from '../node/system-errors.js';

const [, , tool, ...words] = process.argv;

guardStandardStreams();
void run();

async function run(): Promise<void> {
  process.exitCode = await runTool().catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    printProblem(`${tool}: ${error.message}\n`);
    return 1;
  });
}

async function runTool(): Promise<number> {
  switch (tool) {
    case 'stanc':
      return (await import('./stanc.js')).runStanc(words);
    case 'tools': {
      (await import('./home.js')).writeTools(words[0]);
      return 0;
    }
    case 'make':
      return (await import('./make.js')).runMake(words);
    case 'stansummary':
    case 'print':
      return (await import('./stansummary.js')).runStansummary(words);
    case 'diagnose':
      return (await import('./diagnose.js')).runDiagnose(words);
    default:
      throw new Error(`no tool ${tool}`);
  }
}

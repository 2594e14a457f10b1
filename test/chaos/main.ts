/**
 * A cluster whose processes are killed, stopped, cut off and started while clients use it.
 *
 *     npm run chaos -- [--minutes N] [--seed N]
 *
 * Exits with 1 when an acknowledged fit is lost or has other draws than a run that nothing disturbs, an operation does not come to
 * its end, or a request is neither answered nor refused clearly by a front end that nothing has disturbed.
 */
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
});
const { report, problems } = await runChaos(60_000 * Number(values.minutes), Number(values.seed));
console.log(report);
for (const problem of problems) console.log(problem);
console.log(`${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);

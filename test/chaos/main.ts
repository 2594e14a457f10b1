/**
 * A cluster whose processes are killed, stopped, cut off and started while clients use it.
 *
 *     npm run chaos -- [--minutes N] [--seed N]
 *
 * Exits with 1 when an acknowledged fit is lost or has other draws than a run that nothing disturbs, an operation does not come to
 * its end, or a request is neither answered nor refused clearly by a front end that nothing has disturbed. Runs itself again in a
 * network of its own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.js';
import { inOwnNetwork } from './network.js';

const OWN_NETWORK = 'LEAPFROG_CHAOS_NETWORK';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
});
if (process.env[OWN_NETWORK] === undefined) {
  const [program, ...words] = inOwnNetwork(process.argv);
  const child = spawn(program, words, { stdio: 'inherit', env: { ...process.env, [OWN_NETWORK]: 'own' } });
  const [code, signal] = await once(child, 'exit');
  if (signal !== null) console.log(`ended by ${signal}`);
  process.exit(code ?? 1);
}
const { report, problems } = await runChaos(60_000 * Number(values.minutes), Number(values.seed));
console.log(report);
for (const problem of problems) console.log(problem);
console.log(`${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);

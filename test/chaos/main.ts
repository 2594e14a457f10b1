/**
 * Kills, stops, disconnects and starts processes of a cluster while clients use it. Usage: `npm run chaos -- [--minutes N] [--seed N]`
 *
 * Exits with 1 if an acknowledged fit is lost or has other draws than an undisturbed run, an operation does not complete, or an undisturbed front end
 * neither answers a request nor rejects it clearly. Restarts itself in its own network namespace.
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

import { Command } from 'commander';
import { printText } from '../../node/standard-streams.js';
import { CommandError } from '../errors.js';
import { addSettings, readSettings } from '../options/settings.js';
import { diskLimits, natsOf, workSettings } from '../options/work-settings.js';
import { whenNpmEnds } from '../running/parent.js';

/**
 * `leapfrog work`: runs chains for the servers that are connected to the same NATS servers, until it receives a signal.
 */
export function workCommand(): Command {
  const table = workSettings();
  const command = new Command('work').description(
    'Run chains for the servers that are connected to the same NATS servers (--nats).',
  );
  addSettings(command, table);
  return command.action(() => work(readSettings(command, table)));
}

async function work(values: ReturnType<typeof readSettings<ReturnType<typeof workSettings>>>) {
  const nats = natsOf(values);
  if (nats === undefined) throw new CommandError('error: required option --nats <servers> not specified');
  if (values.workers === 0)
    throw new CommandError('error: --workers must be at least 1, because this process only runs chains');
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(0);
    stopping = true;
    const worker = await starting.catch(() => undefined);
    await worker?.close(values.shutdownGrace * 1000);
    process.exit(0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  whenNpmEnds(stop);
  const starting = import('../../service/work.js').then(({ startWorker }) =>
    startWorker({
      nats,
      cacheSize: values.cacheSize,
      ...diskLimits(values),
      workers: values.workers,
      requestTimeout: values.requestTimeout * 1000,
      workerMemory: values.workerMemory,
      memory: values.memory,
      logLevel: values.logLevel,
    }),
  );
  await starting.catch((error: unknown) => {
    throw new CommandError(`error: ${error instanceof Error ? error.message : error}`);
  });
  printText(`Leapfrog runs chains for ${nats.prefix} at ${nats.servers.join(', ')}\n`);
}

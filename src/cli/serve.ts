import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import envPaths from 'env-paths';
import type { NonFinite } from '../messages/numbers.js';

interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly store: string;
  readonly workers: number;
  readonly requestTimeout: number;
  readonly operationTimeout?: number;
  readonly workerMemory: number;
  readonly bodyLimit: number;
  readonly nonfinite: NonFinite;
  readonly token?: string;
  readonly auth: boolean;
  readonly logLevel: string;
}

/** `leapfrog serve`: runs the HTTP service until it is told to stop. */
export function serveCommand(version: string): Command {
  return new Command('serve')
    .description('Serve models and fits over HTTP.')
    .option('--port <number>', 'port to listen on; 0 for any free one', integerFrom(0, 65535), 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--store <folder>', 'where models and fits are kept', envPaths('leapfrog', { suffix: '' }).cache)
    .option('--workers <number>', 'threads that run chains', integerFrom(1, 1024), availableParallelism())
    .option('--request-timeout <seconds>', 'most that compiling or evaluating may take', positiveNumber, 30)
    .option('--operation-timeout <seconds>', 'most that an operation may take (default: no limit)', positiveNumber)
    .option('--worker-memory <mebibytes>', 'memory of each worker', integerFrom(64, 1 << 20), 2048)
    .option('--body-limit <mebibytes>', 'largest request body', integerFrom(1, 1 << 20), 256)
    .addOption(
      new Option('--nonfinite <style>', 'how NaN and infinities are written unless a request says otherwise')
        .choices(['string', 'literal', 'null'])
        .default('string'),
    )
    .addOption(new Option('--token <token>', 'bearer token that requests must carry').env('LEAPFROG_TOKEN'))
    .option('--no-auth', 'listen on an address other than loopback without a token')
    .addOption(
      new Option('--log-level <level>', 'least severe messages that are logged')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .default('warn'),
    )
    .action((flags: ServeFlags, command: Command) => serve(flags, version, command));
}

async function serve(flags: ServeFlags, version: string, command: Command): Promise<void> {
  if (!isLoopback(flags.host) && flags.token === undefined && flags.auth) {
    command.error(
      `error: ${flags.host} can be reached from other machines: give --token TOKEN, or --no-auth to let anybody in`,
    );
  }
  if (flags.token === '') command.error('error: the token is empty');
  const { startServer } = await import('../service/server.js');
  const server = await startServer({
    version,
    host: flags.host,
    port: flags.port,
    store: flags.store,
    workers: flags.workers,
    requestTimeout: flags.requestTimeout * 1000,
    operationTimeout: flags.operationTimeout === undefined ? undefined : flags.operationTimeout * 1000,
    workerMemory: flags.workerMemory,
    bodyLimit: flags.bodyLimit * 2 ** 20,
    nonFinite: flags.nonfinite,
    token: flags.token,
    logLevel: flags.logLevel,
  }).catch((error: unknown) => command.error(`error: ${error instanceof Error ? error.message : String(error)}`));
  process.stdout.write(`Leapfrog listens on ${server.address}; models and fits are in ${flags.store}\n`);
  const stop = () => void server.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function integerFrom(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be an integer from ${least} to ${most}.`);
  };
}

function positiveNumber(text: string): number {
  const value = Number(text);
  // Node's timers go no further than 2^31 - 1 milliseconds.
  if (value > 0 && value <= 2147483) return value;
  throw new InvalidArgumentError('It must be a number of seconds greater than 0, at most 2147483.');
}

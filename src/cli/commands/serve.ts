import { Command } from 'commander';
import envPaths from 'env-paths';
import { printProblem, printText } from '../../node/standard-streams.js';
import { isLoopback } from '../../service/http/origins.js';
import type { ServerOptions } from '../../service/server.js';
import { CommandError } from '../errors.js';
import { addSettings, readSettings } from '../options/settings.js';
import { readNamedTokens, readTokenFile, VISIBLE_TOKEN } from '../options/tokens.js';
import { flag, frameAncestors, integer, oneOf, seconds, text, texts, token } from '../options/values.js';
import { diskLimits, natsOf, workSettings } from '../options/work-settings.js';
import { whenNpmEnds } from '../running/parent.js';

const NONFINITE = ['string', 'literal', 'null'] as const;

/** Every setting of the server. */
function settings() {
  return {
    port: {
      argument: '<number>',
      description: 'port to listen on; 0 for any free port',
      initial: 8080,
      read: integer(0, 65535),
    },
    host: { argument: '<address>', description: 'address to listen on', initial: '127.0.0.1', read: text },
    store: {
      argument: '<folder>',
      description: 'folder for models and fits',
      initial: envPaths('leapfrog', { suffix: '' }).cache,
      read: text,
    },
    ...workSettings(),
    maxQueue: {
      argument: '<number>',
      description: 'maximum number of operations that wait for a worker; further requests receive status 429',
      initial: 1000,
      read: integer(0, 1_000_000),
    },
    maxConnections: {
      argument: '<number>',
      description: 'maximum number of connections; 16 more are reserved for health and metrics',
      initial: undefined,
      initialText: 'from the limit of open files',
      read: integer(1, 1_000_000),
    },
    operationTimeout: {
      argument: '<seconds>',
      description: 'time limit for an operation',
      initial: undefined,
      initialText: 'no limit',
      read: seconds,
    },
    receiveTimeout: {
      argument: '<seconds>',
      description: 'time limit for receiving a request',
      initial: 300,
      read: seconds,
    },
    bodyLimit: {
      argument: '<mebibytes>',
      description: 'maximum size of a request body',
      initial: 256,
      read: integer(1, 1 << 20),
    },
    nonfinite: {
      argument: '<style>',
      description: 'default notation of NaN and infinities in responses',
      choices: NONFINITE,
      initial: 'string' as const,
      read: oneOf(NONFINITE),
    },
    token: {
      argument: '<token>',
      description: 'bearer token that requests must contain',
      initial: undefined,
      read: token,
    },
    tokenFile: {
      argument: '<file>',
      description: 'file with that token, which process lists do not show',
      initial: undefined,
      initialText: 'none',
      read: text,
    },
    tokens: {
      argument: '<file>',
      description:
        'JSON file with several tokens, each with its own fits and operations: an array of objects with name, token and max_queue',
      initial: undefined,
      initialText: 'none',
      read: text,
    },
    auth: {
      negated: true,
      description: 'allow addresses other than loopback without a token',
      initial: true,
      read: flag,
    },
    web: {
      negated: true,
      description: 'do not serve the workbench, which is the page at /',
      initial: true,
      read: flag,
    },
    allowedHost: {
      argument: '<names>',
      description: 'comma-separated names to accept in the Host header, in addition to localhost and addresses',
      initial: [],
      initialText: 'none',
      read: texts,
    },
    frameAncestors: {
      argument: '<origins>',
      description: 'comma-separated origins whose pages may embed the workbench; * for any',
      initial: [],
      initialText: 'none',
      read: frameAncestors,
    },
    corsOrigin: {
      argument: '<origins>',
      description: 'comma-separated origins whose pages may use the service; * for any',
      initial: [],
      initialText: 'none',
      read: texts,
    },
  };
}

type ServeSettings = ReturnType<typeof readSettings<ReturnType<typeof settings>>>;

/** `leapfrog serve`: runs the HTTP service until it receives a signal. */
export function serveCommand(version: string): Command {
  const table = settings();
  const command = new Command('serve').description('Serve models and fits over HTTP.');
  addSettings(command, table);
  return command
    .addHelpText(
      'after',
      `
Flags take precedence over environment variables, which take precedence over the --config file.

Examples:
  $ leapfrog serve
  $ leapfrog serve --port 9000 --store fits --cache-size 1000000000
  $ leapfrog serve --host 0.0.0.0 --token-file token --config settings.json`,
    )
    .action(() => {
      const values = readSettings(command, table);
      if (command.getOptionValueSource('token') === 'cli') warn(VISIBLE_TOKEN);
      return serve(values, version);
    });
}

function warn(text: string): void {
  printProblem(`warning: ${text}\n`);
}

/** The tokens of which requests must contain one; no members if none is required. */
function tokensOf({ token, tokenFile, tokens }: ServeSettings): Pick<ServerOptions, 'token' | 'tokens'> {
  if ([token, tokenFile, tokens].filter((each) => each !== undefined).length > 1)
    throw new CommandError('error: --token, --token-file and --tokens cannot be combined');
  if (tokens !== undefined) return { token, tokens: readNamedTokens(tokens, warn) };
  return { token: tokenFile === undefined ? token : readTokenFile(tokenFile, warn) };
}

async function serve(values: ServeSettings, version: string) {
  const { host, store } = values;
  const { token, tokens } = tokensOf(values);
  if (!isLoopback(host) && (token ?? tokens) === undefined && values.auth) {
    throw new CommandError(
      `error: ${host} is reachable from other machines: set --token-file FILE, or --no-auth to allow all requests`,
    );
  }
  const nats = natsOf(values);
  if (values.workers === 0 && nats === undefined) {
    throw new CommandError('error: --workers 0 requires --nats, because this process would run no chains');
  }
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(0);
    stopping = true;
    const server = await starting.catch(() => undefined);
    await server?.close(values.shutdownGrace * 1000);
    process.exit(0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  whenNpmEnds(stop);
  const starting = import('../../service/server.js').then(({ startServer }) =>
    startServer({
      version,
      host,
      port: values.port,
      store,
      ...(nats && { nats }),
      cacheSize: values.cacheSize,
      ...diskLimits(values),
      workers: values.workers,
      maxQueue: values.maxQueue,
      ...(values.maxConnections !== undefined && { maxConnections: values.maxConnections }),
      requestTimeout: values.requestTimeout * 1000,
      operationTimeout: values.operationTimeout === undefined ? undefined : values.operationTimeout * 1000,
      receiveTimeout: values.receiveTimeout * 1000,
      workerMemory: values.workerMemory,
      memory: values.memory,
      bodyLimit: values.bodyLimit * 2 ** 20,
      nonFinite: values.nonfinite,
      token,
      ...(tokens && { tokens }),
      web: values.web,
      allowedHosts: values.allowedHost,
      frameAncestors: values.frameAncestors,
      corsOrigins: values.corsOrigin,
      logLevel: values.logLevel,
    }),
  );
  const server = await starting.catch((error: unknown) => {
    throw new CommandError(`error: ${error instanceof Error ? error.message : error}`);
  });
  const address = host.includes(':') ? `[${host}]` : host;
  const { port } = new URL(server.address);
  printText(
    `Leapfrog listens on http://${address}:${port}; models and fits are in ${nats?.servers.join(', ') ?? store}; at most ${server.maxConnections} connections\n`,
  );
}

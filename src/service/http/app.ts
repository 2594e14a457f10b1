import type { Duplex } from 'node:stream';
import compress from '@fastify/compress';
import swagger from '@fastify/swagger';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { writeJson } from '../../formats/json.js';
import type { NonFinite } from '../../formats/numbers.js';
import { problems, type ServiceError } from '../errors.js';
import type { Services } from '../fits/services.js';
import type { NamedToken } from '../store/owners.js';
import { joinBody, MOST_VALUES, readBody } from '../threads/body.js';
import type { Requests } from '../threads/requests.js';
import { addSafeHeaders, SAFE_HEADERS } from './answer-headers.js';
import { requireOwner, requireToken, Tokens } from './authorization.js';
import { identifyClients } from './clients.js';
import { limitConnections } from './connections.js';
import { addDocumentation, leadToDocumentation } from './documentation.js';
import { answerErrors, answerMalformedRequest } from './error-answers.js';
import { endJsonWithNewline } from './final-newline.js';
import { allowHalfClosed } from './half-closed.js';
import { nonFiniteStyle } from './non-finite.js';
import { openapiOptions } from './openapi.js';
import { allowOrigins, checkHost, isLoopback, requireOneHost } from './origins.js';
import { addPage } from './page.js';
import { RequestLog } from './request-log.js';
import { cacheRoutes } from './routes/cache.js';
import { calibrationRoutes } from './routes/calibrations.js';
import { comparisonRoutes } from './routes/comparisons.js';
import { evaluationRoutes } from './routes/evaluations.js';
import { fitPredictionRoutes } from './routes/fit-predictions.js';
import { fitReportRoutes } from './routes/fit-reports.js';
import { fitRoutes } from './routes/fits.js';
import { functionCallRoutes } from './routes/function-calls.js';
import { functionRoutes } from './routes/functions.js';
import { healthRoutes } from './routes/health.js';
import { modelRoutes } from './routes/models.js';
import { operationRoutes } from './routes/operations.js';
import { profileRoutes } from './routes/profiles.js';
import { refitRoutes } from './routes/refits.js';
import { stancRoutes } from './routes/stanc.js';
import { validatorCompiler } from './validation.js';

/** Size in bytes above which a worker parses a body. */
const LARGE_BODY = 1 << 18;

export interface AppOptions {
  readonly version: string;
  /** Largest request body, in bytes. */
  readonly bodyLimit: number;
  /** Default representation of non-finite numbers. */
  readonly nonFinite: NonFinite;
  /** The bearer token that requests must contain; absent if none is required. */
  readonly token: string | undefined;
  /** Tokens whose clients have their own fits and operations, instead of `token`. */
  readonly tokens?: readonly NamedToken[];
  readonly logLevel: string;
  /** Milliseconds to receive a whole request. */
  readonly receiveTimeout: number;
  /** Time limit for compiling or evaluating, in milliseconds. */
  readonly requestTimeout: number;
  /** Names allowed in the Host header in addition to localhost and addresses. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages can use the service; `*` for any. */
  readonly corsOrigins: readonly string[];
  readonly host: string;
  /** Maximum number of connections, without those reserved for health and metrics. No limit by default. */
  readonly maxConnections?: number;
}

/** Milliseconds. */
const HEADERS_TIMEOUT = 20_000;
const STALLED_TIMEOUT = 120_000;
const CONNECTIONS_CHECK = 2000;

/** An HTTP server that does not listen yet and has no routes. */
export function createServer(options: AppOptions): FastifyInstance {
  const headersTimeout = Math.min(HEADERS_TIMEOUT, options.receiveTimeout);
  const app = fastify({
    logger: { level: options.logLevel },
    logController: new RequestLog(),
    bodyLimit: options.bodyLimit,
    requestTimeout: options.receiveTimeout,
    // Disconnects clients that neither send nor read. A response may take as long as a request waits and runs.
    connectionTimeout: STALLED_TIMEOUT + 2 * options.requestTimeout,
    http: {
      headersTimeout,
      connectionsCheckingInterval: CONNECTIONS_CHECK,
      requireHostHeader: false,
    },
    // Overlong identifiers reach the handlers, which respond that no such resource exists.
    routerOptions: { maxParamLength: 1 << 16 },
    // The framework's own compilers take 0.1 s to load, and are replaced below.
    schemaController: { compilersFactory: { buildValidator: neverCalled, buildSerializer: neverCalled } },
    frameworkErrors: answerMalformedRequest,
    clientErrorHandler: (error, socket) => {
      if (socket.writable) endWith(socket, connectionProblem(error.code));
      else socket.destroy();
    },
  });
  allowHalfClosed(app.server);
  limitConnections(app, {
    most: options.maxConnections ?? Number.POSITIVE_INFINITY,
    silence: headersTimeout,
    reject: endWith,
  });
  app.server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy());
    endWith(socket, problems.unknownRoute('CONNECT', request.url ?? ''));
  });
  // RFC 9110, section 10.1.1: a server can ignore an unknown expectation.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.setValidatorCompiler(validatorCompiler);
  // Routes serialize their responses themselves, because compiling serializers from schemas would take 0.1 s.
  app.setSerializerCompiler(() => JSON.stringify);
  app.removeAllContentTypeParsers();
  addSafeHeaders(app);
  endJsonWithNewline(app);
  answerErrors(app, options.bodyLimit);
  const tokens = new Tokens(options);
  identifyClients(app, tokens);
  const { allowedHosts, corsOrigins, host } = options;
  requireOneHost(app);
  if (!tokens.areRequired) checkHost(app, { allowedHosts: [...allowedHosts, host], localNames: !isLoopback(host) });
  if (corsOrigins.length > 0) allowOrigins(app, corsOrigins);
  if (tokens.areRequired) requireToken(app, tokens);
  return app;
}

function neverCalled(): never {
  throw new Error('Schemas are compiled by the compilers of the server.');
}

/** Adds every endpoint to a server. */
export async function addRoutes(app: FastifyInstance, services: Services): Promise<void> {
  app.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') throw problems.encodedBody(encoding);
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request: unknown, bytes: Buffer) =>
    parseBody(bytes, services.requests),
  );
  app.addContentTypeParser('*', ({ headers }: FastifyRequest, _payload: unknown, done: (error: Error | null) => void) =>
    done(headers['content-length'] === '0' ? null : problems.wrongContentType(headers['content-type'])),
  );
  // Routes that compress set their own options.
  await app.register(compress, { global: false });
  await app.register(swagger, openapiOptions(services.version, services.requiresToken, services.owners.areNamed));
  await addDocumentation(app, services.requiresToken);
  if (!(services.web && (await addPage(app, services.frameAncestors)))) leadToDocumentation(app);
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(services.metrics.contentType).send(await services.metrics.metrics()),
  );
  await app.register(
    async (api) => {
      api.addHook('onRequest', async (request, reply) => {
        const style = nonFiniteStyle(request.query, services.nonFinite);
        reply.type('application/json; charset=utf-8').serializer((payload: unknown) => writeJson(payload, style));
      });
      requireOwner(api, services.owners);
      healthRoutes(api, services);
      modelRoutes(api, services);
      stancRoutes(api, services);
      evaluationRoutes(api, services);
      functionCallRoutes(api, services);
      profileRoutes(api, services);
      functionRoutes(api);
      fitRoutes(api, services);
      fitReportRoutes(api, services);
      fitPredictionRoutes(api, services);
      calibrationRoutes(api, services);
      refitRoutes(api, services);
      comparisonRoutes(api, services);
      operationRoutes(api, services);
      cacheRoutes(api, services);
      api.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
    },
    { prefix: '/v1' },
  );
  await app.ready();
}

/** Responds instead of a request's handler, and closes the connection. */
function endWith(socket: Duplex, problem: ServiceError): void {
  const body = `${JSON.stringify(problem.body())}\n`;
  const safe = Object.entries({ ...SAFE_HEADERS, ...problem.headers }).map(([name, value]) => `\r\n${name}: ${value}`);
  const head = `HTTP/1.1 ${problem.code} ${problem.body().status}\r\nContent-Type: application/json; charset=utf-8${safe.join('')}`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}

function connectionProblem(code: string | undefined): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') return problems.headersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problems.tooSlow();
  return problems.badRequest('The request is not HTTP.');
}

/**
 * The value of a body; undefined for an empty one. A worker parses large bodies, because parsing them here would block
 * other requests.
 */
async function parseBody(bytes: Uint8Array, requests: Requests): Promise<unknown> {
  if (bytes.length === 0) return undefined;
  const large = bytes.length > LARGE_BODY;
  const body = large
    ? (await requests.perform('Reading the request body', { kind: 'read', bytes }, 'read')).body
    : readBody(bytes);
  if (!('problem' in body)) return joinBody(body);
  switch (body.problem) {
    case 'not UTF-8':
      throw problems.badUtf8();
    case 'not JSON':
      throw problems.badJson(body.at);
    case 'too many values':
      throw problems.tooManyValues(MOST_VALUES);
  }
}

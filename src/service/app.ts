import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fastify, { type FastifyInstance } from 'fastify';
import type { NonFinite } from '../messages/numbers.js';
import { requireToken } from './authorization.js';
import { joinBody, readBody } from './body.js';
import { answerErrors, answerMalformedRequest } from './error-answers.js';
import { problems } from './errors.js';
import type { Models } from './jobs/models.js';
import type { Operations } from './jobs/operations.js';
import type { Requests } from './jobs/requests.js';
import { nonFiniteStyles, writeJson } from './json.js';
import { evaluationRoutes } from './routes/evaluations.js';
import { fitRoutes } from './routes/fits.js';
import { healthRoutes } from './routes/health.js';
import { modelRoutes } from './routes/models.js';
import { operationRoutes } from './routes/operations.js';
import { stancRoutes } from './routes/stanc.js';
import type { Store } from './store/store.js';
import { validatorCompiler } from './validation.js';

/** Bytes. */
const LARGE_BODY = 1 << 20;

export interface AppOptions {
  readonly version: string;
  /** Largest request body, in bytes. */
  readonly bodyLimit: number;
  /** How non-finite numbers are written unless a request says otherwise. */
  readonly nonFinite: NonFinite;
  /** The bearer token that requests must carry; none is asked for when absent. */
  readonly token: string | undefined;
  readonly logLevel: string;
}

/** What the routes work with. */
export interface Services {
  readonly store: Store;
  readonly models: Models;
  readonly requests: Requests;
  readonly operations: Operations;
  readonly nonFinite: NonFinite;
  readonly version: string;
}

/** An HTTP server that does not listen yet and has no routes. */
export function createServer(options: AppOptions): FastifyInstance {
  const app = fastify({
    logger: { level: options.logLevel },
    bodyLimit: options.bodyLimit,
    // Identifiers of any length reach the handlers, which know none such.
    routerOptions: { maxParamLength: 1 << 16 },
    frameworkErrors: answerMalformedRequest,
    clientErrorHandler: (error, socket) => {
      const problem =
        error.code === 'HPE_HEADER_OVERFLOW'
          ? problems.headersTooLarge()
          : problems.badRequest('The request is not HTTP.');
      const body = JSON.stringify(problem.body());
      const head = `HTTP/1.1 ${problem.code} ${problem.body().status}\r\nContent-Type: application/json; charset=utf-8`;
      if (socket.writable) socket.end(`${head}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
      else socket.destroy();
    },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.removeAllContentTypeParsers();
  answerErrors(app, options.bodyLimit);
  if (options.token !== undefined) requireToken(app, options.token);
  return app;
}

/** Adds every endpoint to a server. */
export async function addRoutes(app: FastifyInstance, services: Services): Promise<void> {
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request: unknown, bytes: Buffer) =>
    parseBody(bytes, services.requests),
  );
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Leapfrog',
        description: 'Compiles Stan programs to WebAssembly, evaluates them and samples from them.',
        version: services.version,
      },
    },
  });
  await app.register(swaggerUi, { routePrefix: '/docs' });
  await app.register(
    async (api) => {
      api.addHook('onRequest', async (request, reply) => {
        const style = nonFiniteStyle(request.query, services.nonFinite);
        reply.type('application/json; charset=utf-8').serializer((payload: unknown) => writeJson(payload, style));
      });
      healthRoutes(api, services);
      modelRoutes(api, services);
      stancRoutes(api, services);
      evaluationRoutes(api, services);
      fitRoutes(api, services);
      operationRoutes(api, services);
      api.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
    },
    { prefix: '/v1' },
  );
  await app.ready();
}

/** The value of a body; undefined for an empty one. A large one is read by a worker: it would hold up everybody else. */
async function parseBody(bytes: Uint8Array, requests: Requests): Promise<unknown> {
  if (bytes.length === 0) return undefined;
  const large = bytes.length > LARGE_BODY;
  const body = large
    ? (await requests.perform('Reading the request body', { kind: 'read', bytes }, 'read')).body
    : readBody(bytes);
  if (!('problem' in body)) return joinBody(body);
  throw body.problem === 'not UTF-8' ? problems.badUtf8() : problems.badJson(body.at);
}

/** The style that a query asks for; an unknown one is left for validation to refuse. */
export function nonFiniteStyle(query: unknown, otherwise: NonFinite): NonFinite {
  const asked = typeof query === 'object' && query !== null && 'nonfinite' in query ? query.nonfinite : undefined;
  return nonFiniteStyles.find((style) => style === asked) ?? otherwise;
}

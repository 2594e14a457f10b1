/** Converts every failure of a request to a response of the common error form. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DamagedFile } from '../../fit-files/checksums.js';
import { IncomparableFits } from '../../fits/comparison.js';
import { UnusableLogLikelihood } from '../../fits/cross-validation.js';
import { storageFaultOf } from '../../node/system-errors.js';
import { problems, ServiceError, storageProblem } from '../errors.js';
import { GivenUp } from '../fits/live-fits.js';
import { describeDamage } from '../store/damage.js';
import { LostStore } from '../store/store.js';
import { SAFE_HEADERS } from './answer-headers.js';

/** Responds to errors of handlers, unknown paths, and unsupported methods. */
export function answerErrors(app: FastifyInstance, bodyLimit: number): void {
  const routes: { readonly pattern: RegExp; readonly method: string }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(
      `^${url
        .replace(/[.+^$()|[\]{}]/g, '\\$&')
        .replace('*', '.*')
        .replace(/:\w+/g, '[^/]+')}/?$`,
    );
    for (const each of Array.isArray(method) ? method : [method]) routes.push({ pattern, method: each });
  });
  app.setErrorHandler((error: KnownError, request, reply) => {
    send(reply, asServiceError(error, request, bodyLimit));
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    const unknown = allowed.length === 0 || allowed.includes(request.method);
    send(
      reply,
      unknown
        ? problems.unknownRoute(request.method, path)
        : problems.methodNotAllowed(request.method, path, [...new Set(allowed)].sort()),
    );
  });
}

/** Responds to a request whose path cannot be decoded. Such a request reaches no route. */
export function answerMalformedRequest(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  send(reply, problems.badRequest('The path contains an escape sequence that is not percent-encoded UTF-8.'));
}

/** The response may replace a compressed one that failed before its first byte but after its headers were set. */
function send(reply: FastifyReply, problem: ServiceError): void {
  reply.removeHeader('content-encoding');
  reply.raw.removeHeader('content-encoding');
  reply
    .code(problem.code)
    .headers({ ...SAFE_HEADERS, ...problem.headers })
    .type('application/json; charset=utf-8');
  // Responses to paths that cannot be decoded pass no hook.
  reply.serializer((body: unknown) => `${JSON.stringify(body)}\n`).send(problem.body());
}

type KnownError =
  | FastifyError
  | ServiceError
  | IncomparableFits
  | UnusableLogLikelihood
  | DamagedFile
  | GivenUp
  | LostStore;

function asServiceError(error: KnownError, request: FastifyRequest, bodyLimit: number): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof IncomparableFits) return problems.refused(error.message);
  if (error instanceof UnusableLogLikelihood) return problems.invalidRequest(error.problems);
  if (error instanceof GivenUp) return problems.fitNotFollowed();
  if (error instanceof LostStore) return problems.storeLost(error.message);
  if (error instanceof DamagedFile) {
    request.log.error({ file: error.path, flaw: error.flaw }, 'a file is damaged');
    return problems.damaged(describeDamage(error));
  }
  const fault = storageFaultOf(error);
  if (fault !== undefined) {
    request.log.error(error, 'a file cannot be stored or read');
    return storageProblem(fault);
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return problems.bodyTooLarge(bodyLimit);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return problems.wrongContentType(request.headers['content-type']);
  }
  if (error.statusCode === 416) return problems.rangeNotSatisfiable(lengthIn(error));
  if (error.statusCode !== undefined && error.statusCode < 500) return problems.badRequest(`${error.message}.`);
  request.log.error(error);
  return problems.internal();
}

/** The length of the file whose range is not satisfiable, from the error of the plugin that sends files. */
function lengthIn(error: FastifyError): string {
  const headers = 'headers' in error ? JSON.stringify(error.headers) : '';
  const [, length = '*'] = /\*\/(\d+)/.exec(headers) ?? [];
  return length;
}

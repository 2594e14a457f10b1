/** Catalog of the service's errors. All have bodies of the same form. */

export interface ErrorDetail {
  /** JSON pointer to the field in the request, or the location in the program. */
  readonly field: string;
  readonly message: string;
}

export interface ErrorBody {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  readonly details?: object[];
}

/** Status texts, where they differ from HTTP's or where reading HTTP's would require loading Node's table. */
export const STATUS_TEXTS: ReadonlyMap<number, string> = new Map([
  [200, 'OK'],
  [201, 'Created'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [408, 'Request Timeout'],
  [409, 'Conflict'],
  [413, 'Payload Too Large'],
  [415, 'Unsupported Media Type'],
  [429, 'Too Many Requests'],
  [431, 'Request Header Fields Too Large'],
  [499, 'Cancelled'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
]);

/** An error with the client's status and message. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: number;
  readonly details: readonly object[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: number,
    message: string,
    details: readonly object[] = [],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.headers = headers;
  }

  body(): ErrorBody {
    const status = STATUS_TEXTS.get(this.code) ?? 'Error';
    const head = { code: this.code, status, message: this.message };
    return this.details.length === 0 ? head : { ...head, details: [...this.details] };
  }
}

/** The program has errors. */
export class NotCompiled extends ServiceError {}

/** Whether a write failed because the disk is full, or because a limit for the user or the file is reached. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

/** The catalog. A test checks that `docs/adding-an-endpoint.md` lists the same names. */
export const problems = {
  invalidRequest(details: readonly ErrorDetail[]): ServiceError {
    const said = details.map(({ field, message }) => (field === '' ? `the body ${message}` : `${field} ${message}`));
    return new ServiceError(400, `Invalid request: ${said.join('; ')}.`, details);
  },
  badJson(problem: string): ServiceError {
    return new ServiceError(400, `The request body is not JSON: ${problem}.`);
  },
  badUtf8(): ServiceError {
    return new ServiceError(400, 'The request body is not valid UTF-8.');
  },
  badRequest(message: string): ServiceError {
    return new ServiceError(400, message);
  },
  notCompiled(text: string, diagnostics: readonly object[]): NotCompiled {
    return new NotCompiled(400, text, diagnostics);
  },
  /** The engine rejected data, initial values or a point; its message contains the reason. */
  refused(message: string): ServiceError {
    return new ServiceError(400, message);
  },
  unauthorized(): ServiceError {
    const message =
      'A bearer token is required: send the header "Authorization: Bearer TOKEN" with the server\'s token.';
    return new ServiceError(401, message, [], { 'www-authenticate': 'Bearer' });
  },
  foreignHost(host: string): ServiceError {
    const message = `The header "Host: ${host}" names another server. To allow it, start the server with --allowed-host ${host}.`;
    return new ServiceError(403, message);
  },
  unknownRoute(method: string, path: string): ServiceError {
    return new ServiceError(404, `There is no ${method} ${path}; /v1/openapi.json and /docs list every endpoint.`);
  },
  modelNotFound(id: string): ServiceError {
    return new ServiceError(404, `Model models/${id} not found; POST /v1/models compiles a program.`);
  },
  fitNotFound(model: string, fit: string): ServiceError {
    return new ServiceError(404, `Fit models/${model}/fits/${fit} not found.`);
  },
  fitNotFinished(model: string, fit: string): ServiceError {
    const message = `Fit models/${model}/fits/${fit} is not finished; poll GET /v1/operations/${fit} until it is done.`;
    return new ServiceError(404, message);
  },
  followedInVain(): ServiceError {
    const message =
      'This server cannot follow the fit: it was cancelled, failed, or moved to another server. Retry the request.';
    return new ServiceError(503, message, [], { 'retry-after': '1' });
  },
  operationNotFound(id: string): ServiceError {
    return new ServiceError(404, `Operation operations/${id} not found.`);
  },
  methodNotAllowed(method: string, path: string, allowed: readonly string[]): ServiceError {
    const list = allowed.join(', ');
    return new ServiceError(405, `${method} is not allowed on ${path}; allowed: ${list}.`, [], { allow: list });
  },
  tooSlow(): ServiceError {
    return new ServiceError(408, 'The request did not arrive in time (--receive-timeout).');
  },
  bodyTooLarge(limit: number): ServiceError {
    return new ServiceError(413, `The request body is larger than the limit of ${limit} bytes (--body-limit).`);
  },
  tooManyValues(most: number): ServiceError {
    const message = `The request body has more than ${most} values outside of data, init, mode, fitted_params and constrained_parameters.`;
    return new ServiceError(413, message);
  },
  wrongContentType(found: string | undefined): ServiceError {
    const said = found === undefined || found === '' ? 'no content type' : `the content type ${found}`;
    return new ServiceError(
      415,
      `The request body must be JSON, but has ${said}; send the header "Content-Type: application/json".`,
    );
  },
  encodedBody(encoding: string): ServiceError {
    return new ServiceError(415, `The request body has the encoding ${encoding}; send it without an encoding.`);
  },
  queueFull(most: number): ServiceError {
    const message = `The queue is full: ${most} operations are waiting (--max-queue). Retry when one has ended.`;
    return new ServiceError(429, message, [], { 'retry-after': '5' });
  },
  headersTooLarge(): ServiceError {
    return new ServiceError(431, 'The request line and headers are too large.');
  },
  cancelled(): ServiceError {
    return new ServiceError(499, 'The operation was cancelled.');
  },
  internal(): ServiceError {
    return new ServiceError(500, "An internal error occurred; see the server's log.");
  },
  /** A file in the store is corrupt. */
  damaged({ what, remedy }: { readonly what: string; readonly remedy: string }): ServiceError {
    return new ServiceError(500, `Corrupt data in the store: ${what} failed its checksum and was not used; ${remedy}.`);
  },
  workerDied(cause: unknown): ServiceError {
    const reason = cause instanceof Error ? cause.message : 'the cause is unknown';
    return new ServiceError(500, `The worker thread died: ${reason}. It has been replaced.`);
  },
  outOfTime(
    what: string,
    limit: number,
    reason = 'increase the limit, or check the program for an endless loop',
  ): ServiceError {
    return new ServiceError(
      503,
      `${what} took longer than ${seconds(limit)} (--request-timeout) and was stopped: ${reason}.`,
    );
  },
  operationOutOfTime(limit: number): ServiceError {
    return new ServiceError(
      503,
      `The operation took longer than ${seconds(limit)} (--operation-timeout) and was stopped.`,
    );
  },
  outOfMemory(what: string, mebibytes: number): ServiceError {
    const message = `${what} needed more than ${mebibytes} MiB of memory (--worker-memory) and was stopped.`;
    return new ServiceError(503, message);
  },
  noMemory(): ServiceError {
    const message = 'The memory limit for all models (--memory) is exhausted. Retry in a moment.';
    return new ServiceError(503, message, [], { 'retry-after': '5' });
  },
  busy(): ServiceError {
    return new ServiceError(503, 'Every worker is busy. Retry in a moment.', [], { 'retry-after': '1' });
  },
  diskFull(): ServiceError {
    const advice = 'free space, or make the cache smaller (--cache-size, DELETE /v1/cache)';
    const problem = 'The disk of the store is full, or the quota of the store is used up';
    return new ServiceError(503, `${problem}; ${advice}.`);
  },
  /** The folder of the store was removed, or belongs to another server. */
  storeLost(reason: string): ServiceError {
    return new ServiceError(503, `The store cannot be written: ${reason}.`, [], { 'retry-after': '10' });
  },
  closing(): ServiceError {
    return new ServiceError(503, 'The server is shutting down.', [], { 'retry-after': '10' });
  },
};

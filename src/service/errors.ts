/** Catalog of the service's errors. All have bodies of the same form. */
import type { FailureDetail } from '../model/failure-detail.js';
import { type StorageFault, storageFaultOf } from '../node/system-errors.js';

export interface ErrorDetail {
  /** JSON pointer to the field in the request, or the location in the program. */
  readonly field: string;
  readonly message: string;
}

/** HTTP status of each error, by its reason: an identifier that clients can rely on. */
const STATUSES = [
  ['invalid_request', 400],
  ['bad_json', 400],
  ['bad_utf8', 400],
  ['bad_request', 400],
  ['not_compiled', 400],
  ['refused', 400],
  ['operation_too_large', 400],
  ['unauthorized', 401],
  ['foreign_host', 403],
  ['unknown_route', 404],
  ['model_not_found', 404],
  ['fit_not_found', 404],
  ['fit_not_finished', 404],
  ['fit_not_followed', 503],
  ['operation_not_found', 404],
  ['method_not_allowed', 405],
  ['too_slow', 408],
  ['body_too_large', 413],
  ['too_many_values', 413],
  ['wrong_content_type', 415],
  ['encoded_body', 415],
  ['range_not_satisfiable', 416],
  ['queue_full', 429],
  ['headers_too_large', 431],
  ['cancelled', 499],
  ['internal', 500],
  ['damaged', 500],
  ['worker_died', 500],
  ['out_of_time', 503],
  ['operation_out_of_time', 503],
  ['out_of_memory', 503],
  ['no_memory', 503],
  ['busy', 503],
  ['too_many_connections', 503],
  ['disk_full', 503],
  ['quota_exceeded', 503],
  ['file_too_large', 503],
  ['read_only_store', 503],
  ['disk_error', 503],
  ['too_many_open_files', 503],
  ['permission_denied', 503],
  ['store_lost', 503],
  ['closing', 503],
] as const;

/** The identifier of an error: the name of its entry in the catalog, in snake case. */
export type ErrorReason = (typeof STATUSES)[number][0];

/** All reasons, in the order of the catalog. */
export const ERROR_REASONS: readonly ErrorReason[] = STATUSES.map(([reason]) => reason);

const STATUS_OF: ReadonlyMap<ErrorReason, number> = new Map(STATUSES);

export interface ErrorBody {
  readonly code: number;
  readonly status: string;
  readonly reason: ErrorReason;
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
  [416, 'Range Not Satisfiable'],
  [429, 'Too Many Requests'],
  [431, 'Request Header Fields Too Large'],
  [499, 'Cancelled'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
]);

/** An error with the reason, status and message that the client receives. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly reason: ErrorReason;
  readonly code: number;
  readonly details: readonly object[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    reason: ErrorReason,
    message: string,
    details: readonly object[] = [],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.reason = reason;
    this.code = STATUS_OF.get(reason) ?? 500;
    this.details = details;
    this.headers = headers;
  }

  body(): ErrorBody {
    const status = STATUS_TEXTS.get(this.code) ?? 'Error';
    const head = { code: this.code, status, reason: this.reason, message: this.message };
    return this.details.length === 0 ? head : { ...head, details: [...this.details] };
  }
}

/** The program has errors. */
export class NotCompiled extends ServiceError {}

const MAKE_SPACE = 'free space, or make the cache smaller (--cache-size, DELETE /v1/cache)';

/** Requests succeed again when the cause is removed. */
function storageError(reason: ErrorReason, message: string): ServiceError {
  return new ServiceError(reason, message, [], { 'retry-after': '10' });
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

/** The catalog. Tests check that `docs/adding-an-endpoint.md` lists the same names, and that they match the reasons. */
export const problems = {
  invalidRequest(details: readonly ErrorDetail[]): ServiceError {
    const said = details.map(({ field, message }) => (field === '' ? `the body ${message}` : `${field} ${message}`));
    return new ServiceError('invalid_request', `Invalid request: ${said.join('; ')}.`, details);
  },
  badJson(problem: string): ServiceError {
    return new ServiceError('bad_json', `The request body is not JSON: ${problem}.`);
  },
  badUtf8(): ServiceError {
    return new ServiceError('bad_utf8', 'The request body is not valid UTF-8.');
  },
  badRequest(message: string): ServiceError {
    return new ServiceError('bad_request', message);
  },
  notCompiled(text: string, diagnostics: readonly object[]): NotCompiled {
    return new NotCompiled('not_compiled', text, diagnostics);
  },
  /** The engine rejected data, initial values or a point; its message contains the reason. */
  refused(message: string, detail?: FailureDetail): ServiceError {
    return new ServiceError('refused', message, detail === undefined ? [] : [detail]);
  },
  /** `needed`: the number of bytes that are needed at least, if known before the operation starts. */
  operationTooLarge(limit: number, needed?: number): ServiceError {
    const what =
      needed === undefined
        ? 'The files of the operation exceeded'
        : `The operation needs at least ${needed} bytes on disk, more than`;
    const advice = 'request fewer draws, thin them (num_thin), or save fewer variables (save)';
    return new ServiceError(
      'operation_too_large',
      `${what} the limit of ${limit} bytes (--operation-disk); ${advice}.`,
    );
  },
  unauthorized(): ServiceError {
    const message =
      'A bearer token is required: send the header "Authorization: Bearer TOKEN" with the server\'s token.';
    return new ServiceError('unauthorized', message, [], { 'www-authenticate': 'Bearer' });
  },
  foreignHost(host: string): ServiceError {
    const message = `The header "Host: ${host}" names another server. To allow it, start the server with --allowed-host ${host}.`;
    return new ServiceError('foreign_host', message);
  },
  unknownRoute(method: string, path: string): ServiceError {
    return new ServiceError(
      'unknown_route',
      `There is no ${method} ${path}; /v1/openapi.json and /docs list every endpoint.`,
    );
  },
  modelNotFound(id: string): ServiceError {
    return new ServiceError('model_not_found', `Model models/${id} not found; POST /v1/models compiles a program.`);
  },
  fitNotFound(model: string, fit: string): ServiceError {
    return new ServiceError('fit_not_found', `Fit models/${model}/fits/${fit} not found.`);
  },
  fitNotFinished(model: string, fit: string): ServiceError {
    const message = `Fit models/${model}/fits/${fit} is not finished; poll GET /v1/operations/${fit} until it is done.`;
    return new ServiceError('fit_not_finished', message);
  },
  fitNotFollowed(): ServiceError {
    const message =
      'This server cannot follow the fit: it was cancelled, failed, or moved to another server. Retry the request.';
    return new ServiceError('fit_not_followed', message, [], { 'retry-after': '1' });
  },
  operationNotFound(id: string): ServiceError {
    return new ServiceError('operation_not_found', `Operation operations/${id} not found.`);
  },
  methodNotAllowed(method: string, path: string, allowed: readonly string[]): ServiceError {
    const list = allowed.join(', ');
    return new ServiceError('method_not_allowed', `${method} is not allowed on ${path}; allowed: ${list}.`, [], {
      allow: list,
    });
  },
  tooSlow(): ServiceError {
    return new ServiceError('too_slow', 'The request did not arrive in time (--receive-timeout).');
  },
  bodyTooLarge(limit: number): ServiceError {
    return new ServiceError(
      'body_too_large',
      `The request body is larger than the limit of ${limit} bytes (--body-limit).`,
    );
  },
  tooManyValues(most: number): ServiceError {
    const message = `The request body has more than ${most} values outside of data, init, mode, fitted_params and constrained_parameters.`;
    return new ServiceError('too_many_values', message);
  },
  wrongContentType(found: string | undefined): ServiceError {
    const said = found === undefined || found === '' ? 'no content type' : `the content type ${found}`;
    return new ServiceError(
      'wrong_content_type',
      `The request body must be JSON, but has ${said}; send the header "Content-Type: application/json".`,
    );
  },
  encodedBody(encoding: string): ServiceError {
    return new ServiceError(
      'encoded_body',
      `The request body has the encoding ${encoding}; send it without an encoding.`,
    );
  },
  /** `length`: in bytes, `*` if unknown. */
  rangeNotSatisfiable(length: string): ServiceError {
    const message = `The header "Range" names no byte of the response, which has ${length} bytes.`;
    return new ServiceError('range_not_satisfiable', message, [], { 'content-range': `bytes */${length}` });
  },
  queueFull(most: number, ofToken = false): ServiceError {
    const waiting = ofToken
      ? `${most} operations of this token are waiting (max_queue in --tokens)`
      : `${most} operations are waiting (--max-queue)`;
    const message = `The queue is full: ${waiting}. Retry when one has ended.`;
    return new ServiceError('queue_full', message, [], { 'retry-after': '5' });
  },
  headersTooLarge(): ServiceError {
    return new ServiceError('headers_too_large', 'The request line and headers are too large.');
  },
  cancelled(): ServiceError {
    return new ServiceError('cancelled', 'The operation was cancelled.');
  },
  internal(): ServiceError {
    return new ServiceError('internal', "An internal error occurred; see the server's log.");
  },
  /** A file in the store is corrupt. */
  damaged({
    flaw,
    remedy,
    what,
  }: {
    readonly flaw: string;
    readonly remedy: string;
    readonly what: string;
  }): ServiceError {
    return new ServiceError('damaged', `Corrupt data in the store: ${what} ${flaw}; ${remedy}.`);
  },
  workerDied(cause: unknown): ServiceError {
    const fault = storageFaultOf(cause);
    if (fault !== undefined) return storageProblem(fault);
    const reason = cause instanceof Error ? cause.message : 'the cause is unknown';
    return new ServiceError('worker_died', `The worker thread died: ${reason}. It has been replaced.`);
  },
  outOfTime(
    what: string,
    limit: number,
    reason = 'increase the limit, or check the program for an endless loop',
  ): ServiceError {
    return new ServiceError(
      'out_of_time',
      `${what} took longer than ${seconds(limit)} (--request-timeout) and was stopped: ${reason}.`,
    );
  },
  operationOutOfTime(limit: number): ServiceError {
    return new ServiceError(
      'operation_out_of_time',
      `The operation took longer than ${seconds(limit)} (--operation-timeout) and was stopped.`,
    );
  },
  outOfMemory(what: string, mebibytes: number): ServiceError {
    const message = `${what} needed more than ${mebibytes} MiB of memory (--worker-memory) and was stopped.`;
    return new ServiceError('out_of_memory', message);
  },
  noMemory(): ServiceError {
    const message = 'The memory limit for all models (--memory) is exhausted. Retry in a moment.';
    return new ServiceError('no_memory', message, [], { 'retry-after': '5' });
  },
  busy(): ServiceError {
    return new ServiceError('busy', 'Every worker is busy. Retry in a moment.', [], { 'retry-after': '1' });
  },
  tooManyConnections(most: number): ServiceError {
    const message = `The server has ${most} connections, the maximum (--max-connections). Retry when one is closed.`;
    return new ServiceError('too_many_connections', message, [], { 'retry-after': '5' });
  },
  /** `reserve`: the number of bytes that operations leave free. */
  diskFull(reserve?: number): ServiceError {
    const part = reserve === undefined ? '' : `, except for a reserve of ${reserve} bytes (--disk-reserve)`;
    return storageError('disk_full', `The disk of the store is full${part}; ${MAKE_SPACE}.`);
  },
  quotaExceeded(): ServiceError {
    return storageError('quota_exceeded', `The disk quota of the store is used up; raise the quota, ${MAKE_SPACE}.`);
  },
  fileTooLarge(): ServiceError {
    const advice = 'raise the limit for file sizes (ulimit -f), or request fewer draws';
    return storageError('file_too_large', `A file of the store would be larger than the system allows; ${advice}.`);
  },
  readOnlyStore(): ServiceError {
    const advice =
      'remount it with write access. After a disk error, the system may have made it read-only: see its log';
    return storageError('read_only_store', `The store is on a read-only file system; ${advice}.`);
  },
  diskError(): ServiceError {
    const advice = 'check the disk and the system log';
    return storageError('disk_error', `The disk of the store reports an input/output error; ${advice}.`);
  },
  tooManyOpenFiles(): ServiceError {
    const advice = 'raise the limit (ulimit -n, LimitNOFILE), or open fewer connections';
    return storageError('too_many_open_files', `The server has too many open files; ${advice}.`);
  },
  permissionDenied(): ServiceError {
    const advice = "the server's user must own the store and all files in it";
    return storageError('permission_denied', `The server may not access a file of the store; ${advice}.`);
  },
  /** The folder of the store was removed, or belongs to another server. */
  storeLost(reason: string): ServiceError {
    return new ServiceError('store_lost', `The store cannot be written: ${reason}.`, [], { 'retry-after': '10' });
  },
  closing(): ServiceError {
    return new ServiceError('closing', 'The server is shutting down.', [], { 'retry-after': '10' });
  },
};

/** The error for a fault of the store's files, or of a worker's local files. */
export function storageProblem(fault: StorageFault): ServiceError {
  switch (fault) {
    case 'disk full':
      return problems.diskFull();
    case 'quota exceeded':
      return problems.quotaExceeded();
    case 'file too large':
      return problems.fileTooLarge();
    case 'read-only file system':
      return problems.readOnlyStore();
    case 'input/output error':
      return problems.diskError();
    case 'too many open files':
      return problems.tooManyOpenFiles();
    case 'permission denied':
      return problems.permissionDenied();
  }
}

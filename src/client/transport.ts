import type { ErrorResource } from './types.js';

type ErrorBody = Omit<ErrorResource, 'reason'> & Partial<Pick<ErrorResource, 'reason'>>;

/** An error response of the server. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  /** The HTTP status; for a failed operation, the status of its error. */
  readonly code: number;
  /** Identifier of the error, such as `model_not_found`; undefined if the response is not the server's, but a proxy's. */
  readonly reason: ErrorResource['reason'] | undefined;
  readonly details: readonly object[];

  constructor({ code, details = [], message, reason }: ErrorBody) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

export interface TransportOptions {
  /** Bearer token, if the server requires one. */
  readonly token?: string;
  /** Aborting this signal ends every request. */
  readonly signal?: AbortSignal;
  /** A replacement for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Number of items in a page of a list. */
export const USUAL_PAGE = 100;

/**
 * Requests non-finite numbers as strings, independently of the server's setting, because JSON cannot represent them as
 * numbers.
 */
const AS_TEXTS = 'nonfinite=string';

/** Sends requests and reads responses. Throws `ServerError` for error responses. */
export class Transport {
  private readonly base: string;
  private readonly options: TransportOptions;

  /** `address`: the server's address, such as `http://127.0.0.1:8080`. */
  constructor(address: string, options: TransportOptions) {
    this.base = `${address.replace(/\/+$/, '')}/v1/`;
    this.options = options;
  }

  /** The body of the response. The caller must specify its type. */
  async json<Body>(method: string, path: string, body?: object | string): Promise<Body> {
    const response = await this.send(method, path, body);
    return JSON.parse(await response.text());
  }

  /** The items of a list, fetched page by page. `member` is the name of the list in responses. */
  async *each<Item>(path: string, member: string, pageSize: number): AsyncGenerator<Item> {
    for (let token: string | undefined = ''; token !== undefined; ) {
      const from: string = token === '' ? '' : `&page_token=${token}`;
      const page: Readonly<Record<string, Item[]>> & { readonly next_page_token?: string } = await this.json(
        'GET',
        `${path}?page_size=${pageSize}${from}`,
      );
      yield* page[member];
      token = page.next_page_token;
    }
  }

  async send(method: string, path: string, body?: object | string): Promise<Response> {
    const { fetch = globalThis.fetch, signal, token } = this.options;
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(`${this.base}${path}${path.includes('?') ? '&' : '?'}${AS_TEXTS}`, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : bodyText(body) }),
      ...(signal !== undefined && { signal }),
    });
    if (response.ok) return response;
    throw new ServerError(await errorOf(response));
  }
}

/** The body of a request as text. */
export function bodyText(body: object): string {
  return JSON.stringify(body, writable);
}

/** Converts values that JSON cannot represent: non-finite numbers to strings, and typed arrays to arrays. */
function writable(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value instanceof Float64Array || value instanceof Float32Array || value instanceof Int32Array
    ? Array.from(value)
    : value;
}

async function errorOf(response: Response): Promise<ErrorBody> {
  const text = await response.text();
  const unknown = { code: response.status, status: response.statusText, message: text || response.statusText };
  try {
    const body: Partial<ErrorResource> = JSON.parse(text);
    return { ...unknown, ...body };
  } catch {
    return unknown;
  }
}

/** The JSON value for a number: a string if the number is not finite. */
export type WireNumber = number | string;

export function numberOf(value: WireNumber): number {
  return Number(value);
}

/** The same names with numbers. */
export function numbersOf(values: Readonly<Record<string, WireNumber>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, numberOf(value)]));
}

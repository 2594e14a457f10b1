import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** An error response of the server. */
export class Refusal extends Error {
  readonly status: number;
  /** Types of the compiler's diagnostics, if the program was invalid. */
  readonly kinds: readonly string[];

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.kinds = (body.details ?? []).flatMap(({ kind }) => kind ?? []);
  }
}

interface ErrorBody {
  readonly message: string;
  readonly details?: readonly { readonly kind?: string }[];
}

interface Operation {
  readonly name: string;
  readonly done: boolean;
  readonly metadata: { readonly fit: { readonly name: string } };
  readonly result?: { readonly name: string } | (ErrorBody & { readonly code: number });
}

/** A fit exceeded its time limit and was cancelled. */
export class Overdue extends Error {}

/** A client of a server. Throws `Refusal` if the server responds with an error. */
export class Client {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  /** Compiles a program; resolves to the model's name. */
  async compile(program: string): Promise<string> {
    const model: { name: string } = JSON.parse(await this.#send('POST', 'models', { program_code: program }));
    return model.name;
  }

  /** Runs a function of the services namespace and returns the lines of the fit. Throws `Overdue` after `seconds`. */
  async fit(model: string, request: object, seconds = Number.POSITIVE_INFINITY): Promise<string> {
    return this.#send('GET', await this.fitName(model, request, seconds));
  }

  /** Like `fit`, but resolves to the fit's name. */
  async fitName(model: string, request: object, seconds = Number.POSITIVE_INFINITY): Promise<string> {
    const deadline = performance.now() + 1000 * seconds;
    let operation: Operation = JSON.parse(await this.#send('POST', `${model}/fits`, request));
    while (!operation.done) {
      await sleep(5);
      if (performance.now() > deadline) {
        await this.delete(operation.name);
        throw new Overdue(`not done in ${seconds} seconds`);
      }
      operation = JSON.parse(await this.#send('GET', operation.name));
    }
    const { result } = operation;
    if (result !== undefined && 'code' in result) throw new Refusal(result.code, result);
    return operation.metadata.fit.name;
  }

  delete(name: string): Promise<string> {
    return this.#send('DELETE', name);
  }

  /** Uses `node:http`: `fetch` takes longer to deliver ten megabytes than the server takes to write them. */
  async #send(method: string, path: string, body?: object): Promise<string> {
    const options = { method, ...(body !== undefined && { headers: { 'content-type': 'application/json' } }) };
    const asked = request(`${this.#address}/v1/${path}`, options);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
    const [response]: IncomingMessage[] = await once(asked, 'response');
    const { statusCode = 500 } = response;
    const answer = (await buffer(response)).toString();
    if (statusCode >= 400) throw new Refusal(statusCode, JSON.parse(answer));
    return answer;
  }
}

import { setTimeout as pause } from 'node:timers/promises';

export interface Said {
  readonly status: number;
  readonly text: string;
}

/** Thrown if the server has been killed. */
export class Gone extends Error {}

/** A client of a server that may be killed at any moment. */
export class Speaker {
  readonly address: string;

  constructor(address: string) {
    this.address = address;
  }

  /** Throws `Gone` if the response is incomplete. */
  async ask(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Said> {
    try {
      const answer = await fetch(this.address + path, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      throw new Gone(`${method} ${path}`, { cause: error });
    }
  }

  /** The value of a response that must be successful. */
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers is checked by those who read it
  async demand(method: string, path: string, body?: object): Promise<any> {
    const { status, text } = await this.ask(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  /** Resolves to an operation when it is done. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async finished(name: string): Promise<any> {
    for (;;) {
      const operation = await this.demand('GET', `/v1/${name}`);
      if (operation.done) return operation;
      await pause(50);
    }
  }
}

/** The client of a request, which the queues serve fairly, and the owner of what it creates. */
import { AsyncLocalStorage } from 'node:async_hooks';

interface Caller {
  readonly client: string;
  /** The name of the client's token; absent for clients without a named token. */
  readonly owner: string | undefined;
}

const current = new AsyncLocalStorage<Caller>();

/** Runs an action, with everything that it starts, on behalf of a client. */
export function onBehalfOf<Result>(client: string, action: () => Result, owner?: string): Result {
  return current.run({ client, owner }, action);
}

/** The client on whose behalf the caller runs; empty outside of requests. */
export function currentClient(): string {
  return current.getStore()?.client ?? '';
}

/** The name of the token of the request on whose behalf the caller runs. */
export function currentOwner(): string | undefined {
  return current.getStore()?.owner;
}

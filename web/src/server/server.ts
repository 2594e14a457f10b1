/** The server that sent the page, if one did: static file hosts serve the same build. */
import { Client, type StartedFit } from '#engine/client/index.js';

export const TOKEN = 'leapfrog.token';
/** The address of the page's folder, which also contains the HTTP interface. */
const ADDRESS = location.href.replace(/[?#].*$/, '').replace(/\/[^/]*$/, '');

/** A client of the server, with the user's token. Aborting `signal` ends its requests. */
export function serverClient(signal?: AbortSignal): Client {
  const token = localStorage.getItem(TOKEN);
  return new Client(ADDRESS, { ...(token !== null && { token }), ...(signal !== undefined && { signal }) });
}

/** Cancels what was started on the server when `signal` is aborted, or at once if it was aborted before the server had accepted it. */
export function cancelWith(signal: AbortSignal, started: Pick<StartedFit, 'cancel'>): void {
  const cancel = () => void started.cancel().catch(() => undefined);
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
}

/** The address of a resource of the server. */
export function addressOf(name: string): string {
  return `${ADDRESS}/v1/${name}`;
}

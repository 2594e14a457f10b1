/** The server that sent the page, if one did: static file hosts serve the same build. */
import { Client, type StartedFit } from '#engine/client/index.js';
import { isOver } from '../state/run.js';
import { update, useStore } from '../state/store.js';

const TOKEN = 'leapfrog.token';
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

/** Checks whether a server exists and accepts this page. */
export async function findServer(): Promise<void> {
  try {
    const token = localStorage.getItem(TOKEN);
    const answer = await fetch(`${ADDRESS}/v1/functions`, {
      method: 'HEAD',
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    });
    const isOurs = answer.headers.get('content-type')?.includes('json') === true;
    const found = !isOurs ? 'absent' : answer.ok ? 'ready' : answer.status === 401 ? 'locked' : 'absent';
    update({ server: found });
  } catch {
    update({ server: 'absent' });
  }
  const { runs, server } = useStore.getState();
  if (server !== 'ready' || !runs.some((run) => run.remote !== undefined && !isOver(run))) return;
  const { resumeRuns } = await import('../run/starting.js');
  resumeRuns();
}

/** Stores a token, and returns whether the server accepts it. */
export async function unlock(token: string): Promise<boolean> {
  localStorage.setItem(TOKEN, token);
  await findServer();
  const isRight = useStore.getState().server === 'ready';
  if (!isRight) localStorage.removeItem(TOKEN);
  return isRight;
}

/** The server that sent the page, if one did: static file hosts serve the same build. */
import { Client } from '#engine/client/index.js';
import { update, useStore } from '../state/store.js';

const TOKEN = 'leapfrog.token';
/** The address of the page's folder, which also contains the HTTP interface. */
const ADDRESS = location.href.replace(/[?#].*$/, '').replace(/\/[^/]*$/, '');

/** A client of the server, with the user's token. */
export function serverClient(): Client {
  const token = localStorage.getItem(TOKEN);
  return new Client(ADDRESS, token === null ? {} : { token });
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
  if (useStore.getState().server !== 'ready') return;
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

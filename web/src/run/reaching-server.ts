/** Finds the server of the page, and resumes the runs that it continues. */
import { addressOf, TOKEN } from '../server/server.js';
import { isOver } from '../state/run.js';
import { update, useStore } from '../state/store.js';

/** Checks whether a server exists and accepts this page. */
export async function findServer(): Promise<void> {
  try {
    const token = localStorage.getItem(TOKEN);
    const answer = await fetch(addressOf('functions'), {
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
  const { resumeRuns } = await import('./starting.js');
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

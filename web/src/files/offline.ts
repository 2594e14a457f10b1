/** Caches the page's files, so that it starts without a network. */
import { update } from '../state/store.js';

/** Maximum number of milliseconds after the page has loaded until it begins. */
const LATEST = 5000;

/** Begins when the browser is idle, so that caching does not delay the page. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || !isSecureContext) return;
  const begin = () => void keep();
  // Safari does not report that it is idle.
  if ('requestIdleCallback' in window) requestIdleCallback(begin, { timeout: LATEST });
  else setTimeout(begin, LATEST);
}

async function keep(): Promise<void> {
  try {
    const registered = await navigator.serviceWorker.register('./service-worker.js', { scope: './' });
    registered.active?.postMessage('refresh');
    // A worker becomes active when it has all files.
    await navigator.serviceWorker.ready;
    update({ isKeptOffline: true });
  } catch {
    // If this fails, the page works, but not offline.
  }
}

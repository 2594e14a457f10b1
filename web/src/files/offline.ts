/** Caches the page's files, so that it starts without a network. */

/** Milliseconds after the start, so that caching does not delay the page. */
const LATER = 5000;

export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || !isSecureContext) return;
  setTimeout(async () => {
    try {
      const registered = await navigator.serviceWorker.register('./service-worker.js', { scope: './' });
      registered.active?.postMessage('refresh');
    } catch {
      // If this fails, the page works, but not offline.
    }
  }, LATER);
}

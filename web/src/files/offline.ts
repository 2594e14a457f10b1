/** Has the page's files kept, so that it starts without a network. */

/** Milliseconds after the start: what a person waits for comes first. */
const LATER = 5000;

export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || !isSecureContext) return;
  setTimeout(async () => {
    try {
      const registered = await navigator.serviceWorker.register('./service-worker.js', { scope: './' });
      registered.active?.postMessage('refresh');
    } catch {
      // Without it the page works as well, but not offline.
    }
  }, LATER);
}

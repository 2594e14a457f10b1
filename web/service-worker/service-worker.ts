/** Keeps the page's own files, so that it starts without a network. Nothing else is kept: what the interface answers is always asked for. */
export type {};

declare const self: ServiceWorkerGlobalScope;

const CACHE = 'leapfrog-page';
/** Names of the page's files, as the build lists them. */
const LIST = 'files.json';
/** Names of files there contain hashes of their contents. */
const UNCHANGING = '/assets/';

/** Types of files whose names have no hash: the icon and the manifest. */
const CHANGING: readonly RequestDestination[] = ['image', 'manifest'];

self.addEventListener('install', (event) => {
  event.waitUntil(keepAll().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

// Each start of the page asks for this, as a new build has other files.
self.addEventListener('message', (event) => event.waitUntil(keepAll().catch(() => undefined)));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(fromNetwork(request, self.registration.scope));
  else if (pathname.includes(UNCHANGING)) event.respondWith(kept(request));
  else if (CHANGING.includes(request.destination)) event.respondWith(fromNetwork(request, request.url));
});

/** Loads the files that are not there yet, and removes those of other builds. */
async function keepAll(): Promise<void> {
  const answer = await fetch(address(LIST), { cache: 'no-cache' });
  const listed: unknown = await answer.json();
  if (!Array.isArray(listed)) return;
  const wanted = new Set(['', ...listed].map((name) => address(String(name))));
  const cache = await caches.open(CACHE);
  const there = new Set((await cache.keys()).map(({ url }) => url));
  const missing = [...wanted].filter((url) => !there.has(url) || !url.includes(UNCHANGING));
  await cache.addAll(missing);
  await Promise.all([...there].filter((url) => !wanted.has(url)).map((url) => cache.delete(url)));
}

function address(name: string): string {
  return new URL(name, self.registration.scope).href;
}

/** The file from the network, or from the cache without one. */
async function fromNetwork(request: Request, url: string): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const stored = await caches.match(url);
    if (stored === undefined) throw error;
    return stored;
  }
}

async function kept(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}

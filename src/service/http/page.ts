/**
 * The workbench: the built files of `web/`. It runs in the browser and uses the service only for fits that the user
 * runs on the server.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PAGE_FOLDER } from '../../node/page-folder.js';
import { PAGE_COMPRESSION } from './compression.js';

/**
 * Allows only the page's own files and WebAssembly, and requests to other servers if the link names files on them.
 * Cross-origin isolation lets threads share memory (HTML Standard, "Cross-origin isolation").
 */
function headersFor(frameAncestors: readonly string[], namesFiles: boolean) {
  const isEmbeddable = frameAncestors.length > 0;
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "worker-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self' blob:",
      `connect-src 'self'${namesFiles ? ' https:' : ''}`,
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${isEmbeddable ? frameAncestors.join(' ') : "'none'"}`,
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': isEmbeddable ? 'cross-origin' : 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

/** `?stan=URL`, `data` or `project`: the page fetches these files once the user agrees. */
const LINK_WITH_FILES = /[?&](?:stan|data|project)=/;

/** The worker that runs users' scripts. It can load only the page's own code, and evaluates scripts from text. */
const SCRIPT_WORKER = 'assets/script-worker-';
const SCRIPT_POLICY = "default-src 'none'; script-src 'self' 'unsafe-eval'";

/** For files in `assets`, whose names contain hashes of their contents. */
const FOREVER = 'public, max-age=31536000, immutable';

/** Marks routes that require no authorization because they reveal nothing about this server's models. */
export interface PageRoute {
  readonly isPage: true;
}

export function isPageRoute(config: object): config is PageRoute {
  return 'isPage' in config && config.isPage === true;
}

/**
 * Adds a route for every file of the page, and `/` for its index; false if the page has not been built. Pages of the origins
 * `frameAncestors` may embed it.
 */
export async function addPage(app: FastifyInstance, frameAncestors: readonly string[]): Promise<boolean> {
  if (!existsSync(join(PAGE_FOLDER, 'index.html'))) return false;
  await app.register(fastifyStatic, { root: PAGE_FOLDER, serve: false, cacheControl: false });
  const headers = headersFor(frameAncestors, false);
  const headersOfLinks = headersFor(frameAncestors, true);
  const headersOfScripts = { ...headers, 'content-security-policy': SCRIPT_POLICY };
  const names = readdirSync(PAGE_FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(PAGE_FOLDER, join(entry.parentPath, entry.name)).split(sep).join('/'));
  for (const name of names) {
    const cache = name.startsWith('assets/') ? FOREVER : 'no-cache';
    const options = { schema: { hide: true }, config: { isPage: true }, compress: PAGE_COMPRESSION };
    app.get(name === 'index.html' ? '/' : `/${name}`, options, async ({ url }, reply) => {
      // X-Frame-Options cannot list origins, and older browsers apply it instead of `frame-ancestors`.
      if (frameAncestors.length > 0) reply.removeHeader('x-frame-options');
      const own = name.startsWith(SCRIPT_WORKER)
        ? headersOfScripts
        : LINK_WITH_FILES.test(url)
          ? headersOfLinks
          : headers;
      return reply.headers({ ...own, 'cache-control': cache }).sendFile(name);
    });
  }
  return true;
}

/** Rejects pages of other origins: DNS rebinding by the Host header, everything else by CORS, which is off by default. */
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { problems } from '../errors.js';

export interface HostRules {
  /** Names that the Host header may contain in addition to names that are safe from rebinding. */
  readonly allowedHosts: readonly string[];
  /** Whether names without a dot, which only a local network resolves, are also accepted. */
  readonly localNames: boolean;
}

/** Rejects requests without a Host header, or with several, which proxies may interpret differently (RFC 9112, section 3.2). */
export function requireOneHost(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw: { httpVersion, rawHeaders } }) => {
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    if (hosts.length > 1) throw problems.badRequest('The request has several Host headers.');
    if (hosts.length === 0 && httpVersion === '1.1') throw problems.badRequest('The request has no Host header.');
  });
}

/**
 * Rejects requests whose Host header is a name that an attacker could register in the public DNS. A page from that name
 * would count as same-origin once the name resolves to this server. Addresses and `localhost` cannot be registered.
 */
export function checkHost(app: FastifyInstance, { allowedHosts, localNames }: HostRules): void {
  const allowed = new Set(allowedHosts.map((name) => name.toLowerCase()));
  app.addHook('onRequest', async (request) => {
    const header = request.headers.host;
    if (header === undefined) return;
    const name = hostName(header);
    const isHarmless =
      name !== undefined &&
      (isIP(name) !== 0 ||
        name === 'localhost' ||
        name.endsWith('.localhost') ||
        allowed.has(name) ||
        (localNames && /^[a-z0-9_-]+$/.test(name)));
    if (!isHarmless) throw problems.foreignHost(name ?? header);
  });
}

/** Whether an address can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The name or address in a Host header, in lower case, without port and brackets; undefined if it is malformed. */
function hostName(header: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s/@]+?)\.?)(?::\d*)?$/i.exec(header);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/** Allows pages of these origins to send requests and read responses; `*` is any origin. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    reply.header('vary', 'Origin');
    if (origin === undefined || !(origins.includes('*') || origins.includes(origin))) return;
    reply.header('access-control-allow-origin', origins.includes('*') ? '*' : origin);
    reply.header('access-control-expose-headers', 'Retry-After');
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return;
    reply.header('access-control-allow-methods', 'GET, HEAD, POST, DELETE');
    reply.header('access-control-allow-headers', 'Authorization, Content-Type, Accept, Last-Event-ID');
    reply.header('access-control-max-age', '600');
    return reply.code(204).send();
  });
}

/** The client of each request: the name of its token, or its address. */
import { isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onBehalfOf } from '../store/client.js';
import type { Tokens } from './authorization.js';

/** Runs every request on behalf of its client, for queues that serve clients in turn. */
export function identifyClients(app: FastifyInstance, tokens: Tokens): void {
  const identify = ({ headers, ip }: FastifyRequest, _reply: unknown, done: () => void) => {
    const owner = tokens.find(headers.authorization)?.name;
    onBehalfOf(owner ?? networkOf(ip), done, owner);
  };
  app.addHook('onRequest', identify);
  // Reading a body leaves the asynchronous context of the request.
  app.addHook('preValidation', identify);
}

const PREFIX_GROUPS = 4;
const GROUPS = 8;

/** The address; for IPv6 the network with the first 64 bits, of which a client can usually choose the others. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head, tail] = address.split('%', 1)[0].split('::');
  const groupsOf = (text = '') => text.split(':').filter((group) => group !== '');
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  const zeros = tail === undefined ? 0 : GROUPS - first.length - last.length;
  const all = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return `${all.slice(0, PREFIX_GROUPS).join(':').toLowerCase()}::/64`;
}

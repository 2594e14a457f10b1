/**
 * A maximum number of connections, with a reserve for health and metrics, like PostgreSQL's
 * `superuser_reserved_connections`.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { problems, type ServiceError } from '../errors.js';
import { OPEN_ROUTES } from './authorization.js';

/** Connections above the maximum, for requests of health and metrics. */
const RESERVE = 16;
/** Connections that may receive a rejection at the same time. Others are closed without one. */
const MOST_REJECTED = 16;
/** Milliseconds in which a client can read the rejection. */
const READING_TIME = 500;

/** Maximum by default, however many descriptors the system permits. */
const USUAL_MOST = 10_000;
/** Descriptors for the store, logs, and journals and files in use. */
const OWN_DESCRIPTORS = 64;
/** Descriptors of a thread: its event loop, and files that it reads and writes. */
const DESCRIPTORS_PER_THREAD = 16;

/** The maximum number of connections that a limit of descriptors permits; the rest is for the server itself. */
export function connectionsWithin(descriptors: number, threads: number): number {
  const others = OWN_DESCRIPTORS + DESCRIPTORS_PER_THREAD * threads + RESERVE + MOST_REJECTED;
  return Math.min(USUAL_MOST, Math.max(descriptors - others, Math.floor(descriptors / 4)));
}

interface Limits {
  /** Maximum number of connections, without the reserve. */
  readonly most: number;
  /** Milliseconds within which a client must send its first byte. */
  readonly silence: number;
  /** Responds instead of a request's handler, and closes the connection. */
  readonly reject: (socket: Socket, problem: ServiceError) => void;
}

/** Limits the connections of a server, and closes those whose clients send nothing. */
export function limitConnections(app: FastifyInstance, { most, silence, reject }: Limits): void {
  const regular = new Set<Socket>();
  /** In order of arrival. */
  const reserved = new Set<Socket>();
  let rejected = 0;
  const isSilent = (socket: Socket) => socket.bytesRead === 0;

  app.server.on('connection', (socket: Socket) => {
    const patience = setTimeout(() => {
      if (isSilent(socket)) reject(socket, problems.tooSlow());
    }, silence);
    socket.once('close', () => {
      clearTimeout(patience);
      regular.delete(socket);
      reserved.delete(socket);
    });
    if (regular.size < most) {
      regular.add(socket);
      return;
    }
    if (reserved.size >= RESERVE) {
      const silent = [...reserved].find(isSilent);
      if (silent === undefined) return refuse(socket);
      reserved.delete(silent);
      refuse(silent);
    }
    reserved.add(socket);
  });

  app.addHook('onRequest', async ({ raw: { socket }, routeOptions: { url } }, reply) => {
    if (!reserved.has(socket)) return;
    if (regular.size < most) {
      reserved.delete(socket);
      regular.add(socket);
      return;
    }
    reply.header('connection', 'close');
    if (!OPEN_ROUTES.has(url) && url !== '/metrics') throw problems.tooManyConnections(most);
  });

  function refuse(socket: Socket): void {
    if (rejected >= MOST_REJECTED) {
      socket.destroy();
      return;
    }
    rejected++;
    socket.once('close', () => rejected--);
    socket.on('error', () => socket.destroy());
    reject(socket, problems.tooManyConnections(most));
    setTimeout(() => socket.destroy(), READING_TIME);
  }
}

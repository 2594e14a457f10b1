import type { FastifyInstance } from 'fastify';

const NEWLINE = Buffer.from('\n');

/**
 * Ends JSON bodies with a newline, so that a shell's prompt does not follow the last brace. It is whitespace of JSON (RFC 8259, section 2).
 * Streams are left unchanged: their lines of JSON already end with one.
 */
export function endJsonWithNewline(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload: unknown) => {
    if (reply.hasHeader('content-length')) return payload;
    if (!String(reply.getHeader('content-type') ?? '').startsWith('application/json')) return payload;
    if (typeof payload === 'string') return payload.endsWith('\n') ? payload : `${payload}\n`;
    const isOpen = payload instanceof Uint8Array && payload.at(-1) !== NEWLINE[0];
    return isOpen ? Buffer.concat([payload, NEWLINE]) : payload;
  });
}

import { LogController } from 'fastify';
import { GivenUp } from '../fits/live-fits.js';

/**
 * Logs requests. A response that is cut off because its fit was cancelled or moved is logged as one line at level info,
 * without a stack.
 */
export class RequestLog extends LogController {
  override streamError(...[error, request, reply]: Parameters<LogController['streamError']>): void {
    if (error instanceof GivenUp) reply.log.info({ reason: error.message }, 'response cut off');
    else super.streamError(error, request, reply);
  }
}

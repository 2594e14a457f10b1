import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fastify from 'fastify';
import { GivenUp } from '../fits/live-fits.js';
import { answerErrors } from './error-answers.js';

test('The follower of a fit that is abandoned before its first line receives a request to retry.', async () => {
  const app = fastify();
  answerErrors(app, 1000);
  app.get('/followed', (_request, reply) =>
    reply.type('application/x-ndjson').send(
      new Readable({
        read() {
          this.destroy(new GivenUp('given up'));
        },
      }),
    ),
  );
  const answer = await app.inject('/followed');
  assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '1']);
  assert.match(answer.json().message, /Retry the request/);
});

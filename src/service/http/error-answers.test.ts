import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fastify from 'fastify';
import { GivenUp } from '../fits/live-fits.js';
import { answerErrors } from './error-answers.js';

test('If a fit is abandoned before its first line, its follower receives an error that asks for a retry.', async () => {
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

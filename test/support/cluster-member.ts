/** A front end or a worker of a cluster. It ends when the process that started it requests this or exits. */
import { startServer } from '../../src/service/server.js';
import { startWorker } from '../../src/service/work.js';
import type { Member } from './cluster.js';

const member: Member = JSON.parse(process.argv[2] ?? '');

async function start(): Promise<{ readonly address?: string; close(grace?: number): Promise<void> }> {
  return member.role === 'serve' ? startServer(member.options) : startWorker(member.options);
}

const starting = start();
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ close }: { close: number }) => {
  await (await starting).close(close);
  process.exit(0);
});
starting.then(
  ({ address }) => process.send?.({ address }),
  (error) => {
    process.send?.({ problem: String(error) });
    process.exit(1);
  },
);

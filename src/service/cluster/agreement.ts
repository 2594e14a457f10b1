/** Settings that all processes of a service must share. */
import type { JetStreamManager } from '@nats-io/jetstream';
import { errors, type NatsConnection } from '@nats-io/transport-node';

/** Milliseconds for another process to report its presence. */
const ANSWERING_TIME = 2000;

/**
 * Checks that all processes use the same lease time: a process with a shorter one would take over chains that others
 * still run. The lease time is stored in the description of a stream. It can be changed only while no other process is
 * present; otherwise this throws.
 */
export async function agreeOnLease(
  connection: NatsConnection,
  manager: JetStreamManager,
  { prefix, stream, leaseTime }: { readonly prefix: string; readonly stream: string; readonly leaseTime: number },
): Promise<void> {
  const presence = `${prefix}.presence`;
  const wanted = `leases of ${leaseTime / 1000} s`;
  const { description } = (await manager.streams.info(stream)).config;
  if (description !== wanted) {
    if (description !== undefined && description !== '' && (await isAnswered(connection, presence))) {
      const problem = `running processes of the service ${prefix} have ${description}, but this one is configured with ${wanted}`;
      throw new Error(`${problem}: set the same --nats-lease for all of them, or stop the others first`);
    }
    await manager.streams.update(stream, { description: wanted });
  }
  connection.subscribe(presence, { callback: (_, message) => void message.respond() });
}

async function isAnswered(connection: NatsConnection, subject: string): Promise<boolean> {
  try {
    await connection.request(subject, '', { timeout: ANSWERING_TIME });
    return true;
  } catch (error) {
    const isAlone =
      error instanceof errors.NoRespondersError || (error instanceof errors.RequestError && error.isNoResponders());
    return !isAlone;
  }
}

/** Bodies of lists. */
import { problems } from '../errors.js';
import { describeDamage } from '../store/damage.js';
import type { DamagedRecord, ListedPart, ListedRecord, ListJob } from '../threads/list-job.js';
import type { Requests } from '../threads/requests.js';

/** Number of records per worker job. */
const RECORDS_AT_ONCE = 500;

/** Reads records in workers and returns their entries in the same order. */
export async function readEntries(
  requests: Requests,
  of: ListJob['of'],
  records: readonly ListedRecord[],
): Promise<ListedPart[]> {
  const starts = Array.from({ length: Math.ceil(records.length / RECORDS_AT_ONCE) }, (_, k) => k * RECORDS_AT_ONCE);
  const read = starts.map(async (start) => {
    const job = { kind: 'list', of, records: records.slice(start, start + RECORDS_AT_ONCE) } as const;
    return (await requests.perform('Reading the list', job, 'listed')).parts;
  });
  return (await Promise.all(read)).flat();
}

/** An object as an entry of a list. */
export function entryOf(thing: object): Uint8Array {
  return Buffer.from(JSON.stringify(thing));
}

/** The body of a list: its entries, the entries that are left out with the reasons, and the token of the next page. */
export function listBody(
  member: string,
  entries: readonly Uint8Array[],
  { damaged = [], next }: { readonly damaged?: readonly DamagedRecord[]; readonly next: string | undefined },
): Buffer {
  const rest = {
    ...(damaged.length > 0 && { damaged: damaged.map(damageMessage) }),
    ...(next !== undefined && { next_page_token: next }),
  };
  const members = Object.entries(rest).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const separated = entries.flatMap((entry, k) => (k === 0 ? [entry] : [COMMA, entry]));
  return Buffer.concat([
    Buffer.from(`{${JSON.stringify(member)}:[`),
    ...separated,
    Buffer.from(`]${members.join('')}}`),
  ]);
}

const COMMA = Buffer.from(',');

function damageMessage(damage: DamagedRecord): string {
  return problems.damaged(describeDamage(damage)).message;
}

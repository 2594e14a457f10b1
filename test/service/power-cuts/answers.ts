import { deferred } from '../../../src/service/queue/deferred.js';
import type { Expectations } from '../crashing/expectations.js';
import { hashOf, type Kind } from '../crashing/kinds.js';
import { Gone, type Said, Speaker } from '../crashing/speaker.js';
import { MARK } from './recording.js';

/** A request and its answer. */
export interface Exchange {
  readonly mark: number;
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
  said?: Said;
}

/** Records requests and answers up to a maximum number. */
export class RecordingSpeaker extends Speaker {
  readonly exchanges: Exchange[] = [];
  private readonly most: number;

  /** Throws `Gone` after `most` requests. */
  constructor(address: string, most: number) {
    super(address);
    this.most = most;
  }

  override async ask(method: string, path: string, body?: object): Promise<Said> {
    const mark = this.exchanges.length;
    if (mark >= this.most) throw new Gone('it is enough');
    const exchange: Exchange = { mark, method, path, body };
    this.exchanges.push(exchange);
    exchange.said = await super.ask(method, path, body, { [MARK]: String(mark) });
    return exchange.said;
  }
}

/** When requests had arrived and responses were sent, by mark; moments that did not occur are missing. */
interface Moments {
  readonly received: ReadonlyMap<number, number>;
  readonly answered: ReadonlyMap<number, number>;
}

/** Responses that must not change, by path. */
export type Lasting = Map<string, string>;

/** Expects only responses that clients had received by `until`. Returns the responses that must not change. */
export async function expectAnswered(
  expectations: Expectations,
  exchanges: readonly Exchange[],
  { received, answered }: Moments,
  until: number,
): Promise<Lasting> {
  const lasting: Lasting = new Map();
  const events: { readonly moment: number; readonly happen: () => unknown }[] = [];
  for (const exchange of exchanges) {
    const [begin = Number.POSITIVE_INFINITY, end = Number.POSITIVE_INFINITY] = [received, answered].map((moments) =>
      moments.get(exchange.mark),
    );
    if (exchange.method === 'DELETE') {
      const answer = deferred<void>();
      const name = exchange.path.slice('/v1/'.length);
      events.push({ moment: begin, happen: () => void expectations.deleting(name, () => answer.promise) });
      events.push({ moment: end, happen: () => answer.resolve(undefined) });
    } else events.push({ moment: end, happen: () => hear(expectations, lasting, exchange) });
  }
  for (const { moment, happen } of events.sort((a, b) => a.moment - b.moment)) {
    if (moment > until) break;
    await happen();
    await new Promise(setImmediate);
  }
  return lasting;
}

/** Updates the expectations with an answer. */
function hear(expectations: Expectations, lasting: Lasting, { method, path, body, said }: Exchange): void {
  if (said === undefined || said.status >= 300) return;
  const { models, pending, fits } = expectations;
  const [, , , model = '', kind, fit] = path.split('/');
  if (method === 'POST' && path === '/v1/models') models.add(JSON.parse(said.text).name);
  else if (method === 'POST' && kind === 'fits' && models.has(`models/${model}`)) {
    const { name, metadata } = JSON.parse(said.text);
    pending.set(name, { kind: kindOf(expectations, body), fit: metadata.fit.name, interrupted: true });
  } else if (method === 'GET' && path.startsWith('/v1/operations/')) {
    const name = path.slice('/v1/'.length);
    const asked = pending.get(name);
    const { done, result } = JSON.parse(said.text);
    if (!done || asked === undefined || result?.name !== asked.fit) return;
    pending.delete(name);
    fits.set(asked.fit, { kind: asked.kind });
    lasting.set(asked.fit, said.text);
  } else if (method === 'GET' && kind === 'fits' && path.endsWith(`/${fit}`)) {
    const known = fits.get(path.slice('/v1/'.length));
    if (known !== undefined) known.hash = hashOf(said.text);
  }
}

function kindOf(expectations: Expectations, body: object | undefined): Kind {
  const seed = body !== undefined && 'random_seed' in body ? Number(body.random_seed) : Number.NaN;
  const kind = expectations.kindOf(seed);
  if (kind === undefined) throw new Error(`no kind of fit has the seed ${seed}`);
  return kind;
}

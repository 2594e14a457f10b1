import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { problems } from '../errors.js';
import type { NamedToken, Owners } from '../store/owners.js';
import { isDocumentation } from './documentation.js';
import { isPageRoute } from './page.js';

/** Routes for load balancers, which have no token. */
export const OPEN_ROUTES: ReadonlySet<string | undefined> = new Set(['/v1/health', '/v1/ready']);

/** RFC 9110, section 11.4: the case-insensitive scheme, followed by one or more spaces. */
const BEARER = /^bearer +(.*)$/i;

interface AcceptedToken {
  readonly digest: Uint8Array;
  /** Absent for the only token of a server. */
  readonly name?: string;
}

/** The tokens that a server accepts. */
export class Tokens {
  private readonly accepted: readonly AcceptedToken[];

  constructor({
    token,
    tokens = [],
  }: { readonly token?: string | undefined; readonly tokens?: readonly NamedToken[] }) {
    const unnamed = token === undefined ? [] : [{ digest: digest(token) }];
    this.accepted = [...unnamed, ...tokens.map((each) => ({ digest: digest(each.token), name: each.name }))];
  }

  get areRequired(): boolean {
    return this.accepted.length > 0;
  }

  /** The token in an `Authorization` header, compared with every accepted one; undefined if it is none of them. */
  find(header: string | undefined): AcceptedToken | undefined {
    const [, given = ''] = BEARER.exec(header ?? '') ?? [];
    const found = digest(given);
    let match: AcceptedToken | undefined;
    for (const each of this.accepted) if (timingSafeEqual(found, each.digest)) match = each;
    return match;
  }
}

/** Rejects requests without a token, except on open routes. */
export function requireToken(app: FastifyInstance, tokens: Tokens): void {
  app.addHook('onRequest', async (request) => {
    const { url, config } = request.routeOptions;
    if (OPEN_ROUTES.has(url) || isDocumentation(url) || isPageRoute(config)) return;
    if (tokens.find(request.headers.authorization) === undefined) throw problems.unauthorized();
  });
}

/** Rejects requests for fits and operations of other owners, as if these did not exist. */
export function requireOwner(api: FastifyInstance, owners: Owners): void {
  if (!owners.areNamed) return;
  api.addHook<{ Params: { model_id?: string; fit_id?: string; operation_id?: string } }>(
    'preHandler',
    async (request) => {
      const { fit_id: fit, model_id: model = '', operation_id: operation } = request.params;
      if (fit !== undefined && !owners.sees(fit)) throw problems.fitNotFound(model, fit);
      if (operation !== undefined && !owners.sees(operation)) throw problems.operationNotFound(operation);
    },
  );
}

/** Makes lengths equal, so that the duration of the comparison reveals nothing. */
function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

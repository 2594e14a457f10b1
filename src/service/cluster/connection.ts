/** A connection to NATS, with the required credentials and certificates. */
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  errors,
  type NatsConnection,
  nkeyAuthenticator,
  type TlsOptions,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { readInput, readText } from '../../node/input-files.js';
import type { NatsOptions } from './pair.js';

/** Milliseconds. */
const CONNECTING_TIME = 10_000;
const ADDRESS = /^(?:(nats|tls):\/\/)?([^\s/@]+)\/?$/;
const CREDENTIALS = '-----BEGIN NATS USER JWT-----';
const SEED = /^SU[A-Z2-7]+$/;

/**
 * Connects, and reconnects whenever the connection is lost, with the current contents of the files of credentials and certificates.
 * Throws if NATS cannot be reached or refuses access.
 */
export async function connectToNats(options: NatsOptions): Promise<NatsConnection> {
  const { servers, prefix, credentials, tls } = options;
  const addresses = servers.map(parseAddress);
  const requiresTls = tls !== undefined || addresses.some((address) => address.requiresTls);
  try {
    return await connect({
      servers: addresses.map(({ server }) => server),
      timeout: CONNECTING_TIME,
      maxReconnectAttempts: -1,
      // The credentials of the server may be replaced before those of this process.
      ignoreAuthErrorAbort: true,
      // A client with permissions for the subjects of one service cannot receive replies on other subjects.
      inboxPrefix: `_INBOX.${prefix}`,
      ...(credentials !== undefined && { authenticator: authenticatorOf(credentials) }),
      ...(requiresTls && { tls: tlsOptionsOf(tls, addresses) }),
    });
  } catch (error) {
    throw new Error(`no connection to NATS at ${servers.join(', ')}: ${reasonOf(error, options)}`, {
      cause: error,
    });
  }
}

interface Address {
  /** `host:port`. */
  readonly server: string;
  readonly requiresTls: boolean;
}

/**
 * Throws if the text is not an address, or if it contains a password, which other users could read in the list of
 * processes.
 */
function parseAddress(address: string): Address {
  const [, scheme, server] = ADDRESS.exec(address) ?? [];
  if (server !== undefined) return { server, requiresTls: scheme === 'tls' };
  const shown = address.replace(/\/\/.*@/, '//…@');
  const hint = address.includes('@') ? '; a user, password or token belongs in the file --nats-credentials' : '';
  throw new Error(
    `${shown} is not the address of a NATS server: write host:port, nats://host:port or tls://host:port${hint}`,
  );
}

function tlsOptionsOf(tls: NatsOptions['tls'], addresses: readonly Address[]): TlsOptions {
  // The NATS client reads these files itself, without a size limit.
  for (const file of [tls?.authority, tls?.certificate, tls?.key])
    if (file !== undefined) readInput(file, { regular: true });
  return {
    ...(tls?.authority !== undefined && { caFile: tls.authority }),
    ...(tls?.certificate !== undefined && { certFile: tls.certificate }),
    ...(tls?.key !== undefined && { keyFile: tls.key }),
    ...identityCheck(addresses.map(({ server }) => server.replace(/:\d*$/, '').replace(/^\[|\]$/g, ''))),
  };
}

/**
 * For a server with an IP address, the client would expect a certificate for `localhost`. This check expects one for
 * the IP address instead.
 */
function identityCheck(hosts: readonly string[]): { readonly checkServerIdentity?: typeof checkServerIdentity } {
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  if (addresses.length === 0 || hosts.includes('localhost')) return {};
  return {
    checkServerIdentity: (host, certificate) => {
      const names = host === 'localhost' ? addresses : [host];
      const problems = names.map((name) => checkServerIdentity(name, certificate));
      return problems.includes(undefined) ? undefined : problems[0];
    },
  };
}

/** Reads a file of credentials at each connection. If it can no longer be read, its last contents are used. */
function authenticatorOf(file: string): Authenticator {
  let known = readCredentials(file);
  return (nonce) => {
    try {
      known = readCredentials(file);
    } catch {
      // The file may be in the process of being replaced.
    }
    return known(nonce);
  };
}

/** Parses a user's file of credentials: a JWT and a seed, the seed of an nkey, `user:password`, or a token. */
function readCredentials(file: string): Authenticator {
  const text = readText(file).trim();
  if (text === '') throw new Error(`the NATS credentials file ${file} is empty`);
  if (text.includes(CREDENTIALS)) return credsAuthenticator(Buffer.from(`${text}\n`));
  if (SEED.test(text)) return nkeyAuthenticator(Buffer.from(text));
  const colon = text.indexOf(':');
  if (colon < 0) return tokenAuthenticator(text);
  return usernamePasswordAuthenticator(text.slice(0, colon), text.slice(colon + 1));
}

function reasonOf(error: unknown, { credentials, tls }: NatsOptions): string {
  if (error instanceof errors.AuthorizationError) {
    return credentials === undefined
      ? 'it requires credentials; set --nats-credentials FILE'
      : `it does not accept the credentials in ${credentials}`;
  }
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof errors.TimeoutError && tls?.certificate === undefined) {
    return `${text}; if it requires a client certificate, set --nats-cert FILE and --nats-key FILE`;
  }
  return text;
}

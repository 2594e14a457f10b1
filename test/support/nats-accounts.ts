/** NATS users in accounts: tokens signed by the keys of an operator and an account. */
import { createHash } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

type Keys = ReturnType<typeof nkeys.createUser>;

/** An operator with an account whose users may use JetStream. */
export class Accounts {
  private readonly operator = nkeys.createOperator();
  private readonly account = nkeys.createAccount();
  private readonly system = nkeys.createAccount();

  /** Lines of a server's configuration. */
  get settings(): string {
    const accounts = [this.account, this.system].map((keys) => `${keys.getPublicKey()}: ${this.accountToken(keys)}`);
    return [
      `operator: ${token(this.operator, this.operator, 'operator', 'operator', {})}`,
      `system_account: ${this.system.getPublicKey()}`,
      'resolver: MEMORY',
      `resolver_preload: {\n${accounts.join('\n')}\n}\n`,
    ].join('\n');
  }

  /** The contents of a new user's credentials file. */
  credentials(name: string): string {
    const user = nkeys.createUser();
    const unlimited = { subs: -1, data: -1, payload: -1 };
    const seed = Buffer.from(user.getSeed()).toString();
    return [
      '-----BEGIN NATS USER JWT-----',
      token(this.account, user, name, 'user', { pub: {}, sub: {}, ...unlimited }),
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      seed,
      '------END USER NKEY SEED------',
      '',
    ].join('\n');
  }

  private accountToken(keys: Keys): string {
    const unlimited = {
      subs: -1,
      data: -1,
      payload: -1,
      imports: -1,
      exports: -1,
      wildcards: true,
      conn: -1,
      leaf: -1,
    };
    // The system's account has no streams.
    const storage = keys === this.system ? {} : { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
    return token(this.operator, keys, 'account', 'account', { limits: { ...unlimited, ...storage } });
  }
}

/** A new user's key: its public part, for the server, and its seed, for the client. */
export function newUserKey(): { readonly publicKey: string; readonly seed: string } {
  const user = nkeys.createUser();
  return { publicKey: user.getPublicKey(), seed: Buffer.from(user.getSeed()).toString() };
}

/** Signed claims of an issuer about a subject. */
function token(issuer: Keys, subject: Keys, name: string, type: string, claims: object): string {
  const content = {
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name,
    nats: { ...claims, type, version: 2 },
  };
  const jti = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const parts = [
    { typ: 'JWT', alg: 'ed25519-nkey' },
    { ...content, jti },
  ].map((part) => encode(JSON.stringify(part)));
  const signed = parts.join('.');
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

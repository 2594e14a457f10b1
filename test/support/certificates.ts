import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** PEM files. */
export interface Certified {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate authority for tests, which certifies servers and clients. */
export class Authority {
  readonly certificate: string;
  private readonly folder: string;

  /** Creates it in a folder. Throws if openssl is not installed. */
  constructor(folder: string) {
    this.folder = folder;
    const { certificate } = this.make('authority', ['-x509', '-subj', '/CN=Authority', '-days', '2']);
    this.certificate = certificate;
  }

  /** Issues a certificate for these names, such as `DNS:localhost`. */
  certify(file: string, names: string): Certified {
    const { certificate: request, key } = this.make(file, ['-subj', `/CN=${file}`]);
    const certificate = join(this.folder, `${file}.pem`);
    const extensions = join(this.folder, `${file}.extensions`);
    writeFileSync(extensions, `subjectAltName=${names}\n`);
    const signer = ['-CA', this.certificate, '-CAkey', join(this.folder, 'authority.key'), '-CAcreateserial'];
    openssl('x509', '-req', '-in', request, ...signer, '-days', '2', '-extfile', extensions, '-out', certificate);
    return { certificate, key };
  }

  private make(file: string, options: readonly string[]): Certified {
    const [certificate, key] = ['request', 'key'].map((extension) => join(this.folder, `${file}.${extension}`));
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    openssl('req', ...newKey, ...options, '-out', certificate);
    return { certificate, key };
  }
}

function openssl(...options: readonly string[]): void {
  execFileSync('openssl', options, { stdio: ['ignore', 'ignore', 'pipe'] });
}

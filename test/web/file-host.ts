/** A static file host with the built page in a subfolder, as `leapfrog page` writes it. */
import assert from 'node:assert/strict';
import { createReadStream, existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../service/harness.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

const PATH = '/tools/leapfrog/';

/** Like simple file hosts, it sends no headers except the content type. */
function hostOfFiles(): Server {
  return createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://host');
    const name = pathname === PATH ? 'index.html' : pathname.slice(PATH.length);
    const file = fileURLToPath(new URL(`dist/web/${name}`, packageRoot));
    if (!pathname.startsWith(PATH) || !existsSync(file)) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
}

export interface FileHost {
  readonly address: string;
  readonly close: () => void;
}

export async function startFileHost(): Promise<FileHost> {
  const host = hostOfFiles();
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const bound = host.address();
  assert.ok(typeof bound === 'object' && bound !== null);
  return {
    address: `http://127.0.0.1:${bound.port}${PATH}`,
    close: () => {
      host.closeAllConnections();
      host.close();
    },
  };
}

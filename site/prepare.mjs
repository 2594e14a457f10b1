/** Collects the pages of the site in `pages`: `docs/`, and the HTTP reference. TypeDoc adds the reference of the library. */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { httpReference } from './reference/http.mjs';
import { readOpenApi } from './reference/openapi.mjs';

const pages = new URL('pages/', import.meta.url);
const reference = new URL('reference/', pages);
await rm(pages, { recursive: true, force: true });
await cp(fileURLToPath(new URL('../docs', import.meta.url)), fileURLToPath(pages), { recursive: true });
await mkdir(reference);
await writeFile(new URL('http.md', reference), httpReference(await readOpenApi()));

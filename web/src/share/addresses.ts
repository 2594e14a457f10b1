/** Links to files on other servers: `?stan=URL&data=URL` for a program and its data, `?project=URL` for a zip file. */
import { t } from '../words/messages.js';

type LinkedKind = 'stan' | 'data' | 'project';
const KINDS: readonly LinkedKind[] = ['project', 'stan', 'data'];

export interface LinkedFile {
  readonly kind: LinkedKind;
  /** As given in the link. */
  readonly shown: URL;
  /** The address of the file itself, for example the raw file of a page on GitHub. */
  readonly source: URL;
}

/**
 * The files in a page's address, in the order project, programs, data. Relative addresses are resolved against the page's address. Throws an `Error`
 * for an address that is neither on the page's origin nor `https:`.
 */
export function linkedFiles(page: URL): readonly LinkedFile[] {
  return KINDS.flatMap((kind) =>
    page.searchParams.getAll(kind).map((text) => {
      const shown = URL.canParse(text, page) ? new URL(text, page) : undefined;
      if (shown === undefined || (shown.protocol !== 'https:' && shown.origin !== page.origin))
        throw new Error(t('files.notHttps', { parameter: `${kind}=${text}` }));
      return { kind, shown, source: rawFile(shown) };
    }),
  );
}

/** The page's address without these files. */
export function withoutFiles(page: URL): URL {
  const rest = new URL(page);
  for (const kind of KINDS) rest.searchParams.delete(kind);
  return rest;
}

/** The raw file of a page on GitHub, or of a gist with one file; other addresses unchanged. */
function rawFile(address: URL): URL {
  const parts = address.pathname.split('/').slice(1);
  if (address.hostname === 'github.com' && parts.length > 4 && (parts[2] === 'blob' || parts[2] === 'raw')) {
    const [owner, repository, , ...rest] = parts;
    return new URL([owner, repository, ...rest].join('/'), 'https://raw.githubusercontent.com/');
  }
  if (address.hostname === 'gist.github.com' && parts.length === 2)
    return new URL(`${address.pathname}/raw`, 'https://gist.githubusercontent.com/');
  return address;
}

const NAMED: Readonly<Record<LinkedKind, RegExp>> = {
  stan: /\.stan(?:functions)?$/i,
  data: /\.(?:json|csv|tsv|txt|r|rdump)$/i,
  project: /\.zip$/i,
};
const ENDINGS: Readonly<Record<LinkedKind, string>> = { stan: '.stan', data: '.json', project: '.zip' };

/** Fetches a file without cookies or a referrer. Throws an `Error` with the address if that fails. */
export async function fetchFile({ kind, shown, source }: LinkedFile): Promise<File> {
  const response = await fetch(source, { credentials: 'omit', referrerPolicy: 'no-referrer' }).catch(() => undefined);
  if (response === undefined) throw new Error(t('files.notFetched', { address: shown.href }));
  if (!response.ok) throw new Error(t('files.notFetchedStatus', { address: shown.href, status: `${response.status}` }));
  return new File([await response.blob()], nameOf(kind, source, response.headers.get('content-type') ?? ''));
}

/** The last part of the path, with the extension of the file type. */
function nameOf(kind: LinkedKind, source: URL, type: string): string {
  const last = decodeURIComponent(source.pathname.split('/').pop() ?? '');
  if (NAMED[kind].test(last)) return last;
  const stem = last === '' || last === 'raw' ? 'linked' : last;
  return stem + (kind === 'data' && /\bcsv\b/.test(type) ? '.csv' : ENDINGS[kind]);
}

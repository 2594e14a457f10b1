/** A project as a link. Its texts and settings are in the fragment, which browsers do not send to servers. */
import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate';
import type { Project } from '../state/project.js';
import { readProjectParts } from './reading.js';

const KEY = '#project=';

/** The address of this page with the project in it; `query` is empty, or `?embed` for embedding. */
export function linkTo(project: Project, query: '' | '?embed' = ''): string {
  const { name, about, program, includes, data, levels, terms, settings, script, lesson } = project;
  const text = JSON.stringify({ name, about, program, includes, data, levels, terms, settings, script, lesson });
  return `${location.origin}${location.pathname}${query}${KEY}${base64Url(deflateSync(strToU8(text), { level: 9 }))}`;
}

/** The project in a fragment; undefined if there is no project, or it is damaged. */
export function projectIn(fragment: string): Partial<Project> | undefined {
  if (!fragment.startsWith(KEY)) return undefined;
  try {
    return readProjectParts(JSON.parse(strFromU8(inflateSync(bytesOf(fragment.slice(KEY.length))))));
  } catch {
    return undefined;
  }
}

function base64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
}

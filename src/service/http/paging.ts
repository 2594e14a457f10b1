/**
 * Lists page by page. A page's token names the entry after which the next page starts, so it remains valid when entries
 * are added or removed.
 */
import { type Static, Type } from 'typebox';
import { problems } from '../errors.js';

export const PageQuery = Type.Object({
  page_size: Type.Optional(
    Type.String({
      pattern: '^([1-9]\\d{0,2}|1000)$',
      description: 'Maximum number of items in the response, at most 1000. All items by default.',
    }),
  ),
  page_token: Type.Optional(
    Type.String({ description: '`next_page_token` of the previous page; the list continues after it.' }),
  ),
});
export type PageRequest = Static<typeof PageQuery>;

export const NextPage = Type.Optional(
  Type.String({ description: 'The `page_token` of the next page. Absent on the last page.' }),
);

/** Page size for requests with a token and without a size. */
const USUAL_SIZE = 100;
const KEY = /^[\w.:-]+$/;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | undefined;
}

/** The requested page of items in the order of their keys, ascending or descending; all items if no page is requested. */
export function pageOf<Item>(
  items: readonly Item[],
  { page_size, page_token }: PageRequest,
  keyOf: (item: Item) => string,
  order: 'ascending' | 'descending' = 'ascending',
): Page<Item> {
  if (page_size === undefined && page_token === undefined) return { items, next: undefined };
  const last = page_token === undefined ? undefined : keyIn(page_token);
  const isBehind = (key: string) => last === undefined || (order === 'ascending' ? key > last : key < last);
  const rest = items.filter((item) => isBehind(keyOf(item)));
  const page = rest.slice(0, Number(page_size ?? USUAL_SIZE));
  const isLast = page.length === rest.length;
  return { items: page, next: isLast ? undefined : Buffer.from(keyOf(page[page.length - 1])).toString('base64url') };
}

function keyIn(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (KEY.test(key)) return key;
  throw problems.invalidRequest([{ field: '/page_token', message: 'is not a token returned by a list request' }]);
}

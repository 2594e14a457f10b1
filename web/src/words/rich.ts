import { createElement, Fragment, type ReactNode } from 'react';
import { messageOf } from './messages.js';
import type { Given, Key } from './types.js';

/** Tags that messages may contain. */
const TAGS = {
  code: (parts: ReactNode[]) => createElement('code', null, ...parts),
  kbd: (parts: ReactNode[]) => createElement('kbd', null, ...parts),
};

/** A message with marked-up text, and with elements as arguments. */
export function rich<K extends Key>(key: K, ...[values]: Given<K, ReactNode>): ReactNode {
  const parts = messageOf(key).format<ReactNode>({ ...TAGS, ...values });
  return createElement(Fragment, null, ...(Array.isArray(parts) ? parts : [parts]));
}

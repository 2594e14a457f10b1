import type { ComponentProps } from 'react';

/** A frame in which a table scrolls. */
export function TableFrame({
  label,
  ...others
}: { readonly label: string } & Pick<ComponentProps<'section'>, 'children' | 'onScroll' | 'ref'>) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
  return <section className="table-frame" aria-label={label} tabIndex={0} {...others} />;
}

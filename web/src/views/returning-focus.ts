/** Returns the focus after a window, a menu, a notice or the tour to where it came from. */

/** Elements that the focus leaves again. */
const PASSING = 'dialog, [role=menu], .notice-place, .tour-note';

let last: HTMLElement | undefined;

addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && target.closest(PASSING) === null) last = target;
});

/** Focuses the element of the page that last had the focus, if it still exists. */
export function returnFocus(): void {
  if (last?.isConnected === true) last.focus();
}

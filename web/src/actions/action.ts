import type { PageState } from '../state/store.js';

/** An action of the page, in its current language. */
export interface Action {
  readonly group: string;
  readonly name: string;
  /** What the action does, where its name alone leaves that open. */
  readonly detail?: string;
  /** `Mod` is ⌘ on Apple's machines and Ctrl elsewhere. */
  readonly keys?: string;
  readonly isPossible?: (state: PageState) => boolean;
  readonly act: () => void;
}

/** What most actions require. */
export const hasProgram = ({ project }: PageState): boolean => project.program.trim() !== '';

export function isPossible({ isPossible }: Action, state: PageState): boolean {
  return isPossible?.(state) ?? true;
}

/**
 * Replaces a selection by typed text in the editor itself. If the browser does it, merged lines get style attributes, which the page's
 * Content-Security-Policy rejects with an error.
 */
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

export const typingOver: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || empty || view.composing) return false;
    event.preventDefault();
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
    if (!isHandled) view.dispatch(insert());
    return true;
  },
});

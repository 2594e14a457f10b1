import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyField,
  historyKeymap,
  indentWithTab,
  isolateHistory,
} from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type EditorStateConfig, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { editorTheme } from '../../language/theme.js';
import { typingOver } from '../../language/typing-over.js';
import { useStore } from '../../state/store.js';

export interface TextEditorProps {
  /** Identifies the text. The editor keeps its steps of undoing when it is created again, as after another tab was shown. */
  readonly of: string;
  /** Its accessible label. */
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Extensions for the language. This and the following properties are read only when the editor is created. */
  readonly extensions: Extension;
  readonly completions?: CompletionSource;
  /** Called with the editor when it is created. */
  readonly onReady?: (view: EditorView) => void;
}

/** States of closed editors, with their steps of undoing, by `of`. */
const closed = new Map<string, unknown>();
const FIELDS = { history: historyField };
/** Maximum length of a text whose editor is kept, in characters. */
const LONGEST_KEPT = 1_000_000;

/** Whether editors refuse changes by the user. */
const refusing = new Compartment();

/** A text editor. It is in a shadow root, where style sheets can be constructed, which a Content-Security-Policy without inline styles allows. */
export function TextEditor({ of, label, text, onChange, extensions, completions, onReady }: TextEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const initial = useRef({ of, text, extensions, completions, onReady });

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const { of, text, extensions, completions, onReady } = initial.current;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open', delegatesFocus: true });
    root.adoptedStyleSheets = [shell()];
    const place = document.createElement('div');
    place.className = 'place';
    root.replaceChildren(place);
    const made = new EditorView({
      parent: place,
      root,
      state: stateOf(of, text, {
        extensions: [
          refusing.of([]),
          lineNumbers(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          history(),
          drawSelection(matchMedia('(prefers-reduced-motion: reduce)').matches ? { cursorBlinkRate: 0 } : {}),
          rectangularSelection(),
          indentUnit.of('  '),
          indentOnInput(),
          typingOver,
          bracketMatching(),
          closeBrackets(),
          highlightSelectionMatches(),
          autocompletion({ ...(completions !== undefined && { override: [completions] }), icons: false }),
          extensions,
          editorTheme,
          EditorView.lineWrapping,
          keymap.of([
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...defaultKeymap,
            ...searchKeymap,
            ...historyKeymap,
            ...lintKeymap,
            indentWithTab,
          ]),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) change.current(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    onReady?.(made);
    return () => {
      if (made.state.doc.length <= LONGEST_KEPT) closed.set(of, made.state.toJSON(FIELDS));
      made.destroy();
    };
  }, [label]);

  const isFollowing = useStore(({ isFollowing }) => isFollowing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another label creates another editor
  useEffect(() => {
    view.current?.dispatch({ effects: refusing.reconfigure(EditorState.readOnly.of(isFollowing)) });
  }, [isFollowing, label]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === text) return;
    const { main } = editor.state.selection;
    const anchor = Math.min(main.anchor, text.length);
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: text },
      selection: { anchor },
      // Formatting is a separate undo step, even directly after typing.
      annotations: isolateHistory.of('full'),
    });
  }, [text]);

  return <div className="editor" ref={host} />;
}

/** The state of the editor that showed this text before, or a new one. */
function stateOf(of: string, text: string, config: EditorStateConfig): EditorState {
  const kept = closed.get(of);
  closed.delete(of);
  const isSame = typeof kept === 'object' && kept !== null && 'doc' in kept && kept.doc === text;
  return isSame ? EditorState.fromJSON(kept, config, FIELDS) : EditorState.create({ ...config, doc: text });
}

let sheet: CSSStyleSheet | undefined;

/** The style of the shadow root around an editor. */
function shell(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync('.place { height: 100% } .place > * { height: 100% }');
  }
  return sheet;
}

/** Requests from the server to the analysis thread. */

import type { Stretch } from '../derive/symbols.js';
import type { CallHelp } from '../editing/calls.js';
import type { Completion } from '../editing/completion.js';
import type { InlayHint } from '../editing/inlay-hints.js';
import type { Hover, LanguageService, ProgramReport, Remark } from '../editing/language-service.js';
import type { Fold, OutlineItem } from '../editing/outline.js';
import type { Renaming } from '../editing/renaming.js';
import type { SemanticToken } from '../editing/semantic-tokens.js';

interface Place {
  readonly file: string;
  /** Offset in UTF-16 code units. */
  readonly offset: number;
}

/** A type of request with its parameters. */
export type Question =
  | { readonly kind: 'report'; readonly pedantic: boolean }
  | { readonly kind: 'format' | 'unsupported' }
  | { readonly kind: 'help'; readonly name: string }
  | ({ readonly kind: 'rename'; readonly newName: string } & Place)
  | ({
      readonly kind: 'complete' | 'hover' | 'signatures' | 'definitions' | 'references' | 'renamable' | 'enclosing';
    } & Place)
  | { readonly kind: 'outline' | 'folds' | 'hints' | 'tokens'; readonly file: string };

export interface Answers {
  readonly report: ProgramReport;
  readonly unsupported: readonly Remark[];
  readonly format: string | undefined;
  readonly help: Hover | undefined;
  readonly rename: Renaming;
  readonly complete: readonly Completion[];
  readonly hover: Hover | undefined;
  readonly signatures: CallHelp | undefined;
  readonly definitions: readonly Stretch[];
  readonly references: readonly Stretch[];
  readonly renamable: ReturnType<LanguageService['renamable']>;
  readonly enclosing: readonly Stretch[];
  readonly outline: readonly OutlineItem[];
  readonly folds: readonly Fold[];
  readonly hints: readonly InlayHint[];
  readonly tokens: readonly SemanticToken[];
}

export type Kind = Question['kind'];
export type Answer = Answers[Kind];
export type QuestionOf<K extends Kind> = Question & { readonly kind: K };

import type { Statement } from '#engine/sentences/statement.js';
import { areKnown, stated } from '../../words/messages.js';

/** What a check of the engine states. If the page does not know a sentence, as of a newer server, its English text. */
export function Advice({
  of: { message, statements },
  className,
}: {
  readonly of: { readonly message: string; readonly statements: readonly Statement[] };
  readonly className?: string;
}) {
  return areKnown(statements) ? (
    <p className={className}>{stated(statements)}</p>
  ) : (
    <p className={className} lang="en">
      {message}
    </p>
  );
}

import type { Statement } from '#engine/base/statement.js';
import { areKnown, stated } from '../../words/messages.js';

/** The text of a check. If the page does not know a sentence, for example from a newer server, its English text. */
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

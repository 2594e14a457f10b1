import type { ChangedLine, ChangedText, Changes } from '../../compare/text-changes.js';
import { t } from '../../words/messages.js';

/** Changes of the inputs between two runs. */
export function TextChanges({ changes: { settings, texts } }: { readonly changes: Changes }) {
  return (
    <section aria-label={t('compare.inputsLabel')}>
      <h2>{t('compare.inputs')}</h2>
      {texts.length === 0 && settings.length === 0 && <p className="prose muted">{t('compare.noChanges')}</p>}
      {settings.length > 0 && (
        <ul className="changed-settings">
          {settings.map(({ name, before, after }) => (
            <li key={name}>
              <code>{name}</code> <del>{before}</del> <span aria-hidden="true">→</span> <ins>{after}</ins>
            </li>
          ))}
        </ul>
      )}
      {texts.map((text) => (
        <TextDifference key={text.file} text={text} />
      ))}
    </section>
  );
}

const SIGNS: Readonly<Record<ChangedLine['kind'], string>> = { same: ' ', removed: '−', added: '+' };
const WORDS = { removed: 'compare.removed', added: 'compare.added' } as const;

function TextDifference({ text: { file, hunks } }: { readonly text: ChangedText }) {
  return (
    <figure className="difference">
      <figcaption>{file}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className="difference-lines" aria-label={t('compare.changesOf', { file })} tabIndex={0}>
        {hunks.map((hunk) => (
          <ol key={`${hunk[0]?.number}`}>
            {hunk.map(({ kind, number, text }) => (
              <li key={`${kind} ${number}`} className={kind}>
                <span className="line-number" aria-hidden="true">
                  {number}
                </span>
                <span aria-hidden="true">{SIGNS[kind]}</span>
                {kind !== 'same' && <span className="visually-hidden">{t(WORDS[kind])}</span>}
                <code>{text}</code>
              </li>
            ))}
          </ol>
        ))}
      </section>
    </figure>
  );
}

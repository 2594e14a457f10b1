import '../styles/explanations.css';
import { Popover } from 'radix-ui';
import { type RefObject, useEffect, useMemo, useState } from 'react';
import { explanationOf } from '../terms/explaining.js';
import { PICTURE, PICTURES } from '../terms/pictures.js';
import type { TermName } from '../terms/term-names.js';
import type { FoundText } from '../words/lookup.js';
import { currentLanguage, t } from '../words/messages.js';
import { Picture } from './look/Picture.js';

interface ExplanationProps {
  readonly name: TermName;
  readonly label: string;
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
}

/** Three sentences and a picture, beside the button that opened them. */
export function Explanation({ name, label, button, onClose }: ExplanationProps) {
  const [sentences, setSentences] = useState<readonly FoundText[]>();
  useEffect(() => {
    void explanationOf(name).then(setSentences);
  }, [name]);
  const plot = useMemo(
    () => ({
      ...PICTURE,
      title: label,
      description: '',
      marks: PICTURES[name](),
      table: () => ({ columns: [], rows: [] }),
    }),
    [name, label],
  );
  if (sentences === undefined) return null;
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popover.Anchor virtualRef={button} />
      {/* In a window over the page, the rest of the page cannot be used. */}
      <Popover.Portal container={button.current?.closest('dialog') ?? document.querySelector('main')}>
        <Popover.Content
          className="explanation"
          aria-label={label}
          collisionPadding={8}
          sideOffset={4}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            button.current?.focus();
          }}
          onInteractOutside={(event) => {
            // The button closes it itself.
            if (event.target instanceof Node && button.current?.contains(event.target)) event.preventDefault();
          }}
        >
          <h2>{label}</h2>
          <div className="explanation-picture" aria-hidden="true">
            <Picture plot={plot} />
          </div>
          <p>
            {sentences.map(({ language, text }) => (
              <span key={text} lang={language === currentLanguage() ? undefined : language}>
                {text}{' '}
              </span>
            ))}
          </p>
          <Popover.Close className="quiet">{t('frame.close')}</Popover.Close>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

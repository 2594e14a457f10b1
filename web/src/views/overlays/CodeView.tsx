import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { saveNotebook } from '../../actions/sharing.js';
import { codeFor } from '../../share/code.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { CloseButton, Overlay } from './Overlay.js';

const NOTEBOOKS = [
  ['Python', 'Jupyter'],
  ['R', 'Jupyter'],
  ['Python', 'Quarto'],
  ['R', 'Quarto'],
] as const;

/** Code that repeats the run elsewhere. */
export function CodeView() {
  const settings = useStore(({ project }) => project.settings);
  const codes = codeFor(settings, location.protocol === 'file:' ? 'http://127.0.0.1:8080' : location.origin);
  const [copied, setCopied] = useState<string>();
  return (
    <Overlay label={t('files.code')}>
      <h2>{t('files.codeTitle')}</h2>
      <p className="muted">{t('files.codeHelp')}</p>
      <Tabs.Root className="code-tabs" defaultValue={codes[0]?.language ?? ''}>
        <Tabs.List className="tab-list" aria-label={t('files.codeLanguages')}>
          {codes.map(({ language }) => (
            <Tabs.Trigger key={language} value={language}>
              {language}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {codes.map(({ language, text }) => (
          <Tabs.Content key={language} value={language} tabIndex={-1}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
            <pre className="code" tabIndex={0}>
              {text}
            </pre>
            <div className="buttons">
              <button
                type="button"
                className="primary"
                onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(language))}
              >
                {t(copied === language ? 'frame.copied' : 'frame.copy')}
              </button>
              <CloseButton />
            </div>
          </Tabs.Content>
        ))}
      </Tabs.Root>
      <p className="muted">{t('files.notebookHelp')}</p>
      <div className="buttons">
        {NOTEBOOKS.map(([language, form]) => (
          <button key={`${language} ${form}`} type="button" onClick={() => void saveNotebook(language, form)}>
            {form}, {language}
          </button>
        ))}
      </div>
    </Overlay>
  );
}

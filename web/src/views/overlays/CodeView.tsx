import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { saveNotebook } from '../../actions/sharing.js';
import { codeFor } from '../../share/code.js';
import { useStore } from '../../state/store.js';
import { closeOverlay, Overlay } from './Overlay.js';

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
    <Overlay label="Code">
      <h2>The same elsewhere</h2>
      <p className="muted">Expects the program in model.stan and the data in data.json, as in the zip file.</p>
      <Tabs.Root className="code-tabs" defaultValue={codes[0]?.language ?? ''}>
        <Tabs.List className="tab-list" aria-label="Languages">
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
                {copied === language ? 'Copied' : 'Copy'}
              </button>
              <button type="button" onClick={closeOverlay}>
                Close
              </button>
            </div>
          </Tabs.Content>
        ))}
      </Tabs.Root>
      <p className="muted">
        Or save a notebook that makes the same run with the package leapfrog. It contains the program, the data, the
        settings and the seed.
      </p>
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

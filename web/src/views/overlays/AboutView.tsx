import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { CloseButton, Overlay } from './Overlay.js';

/** Fields of package.json, which the build inserts. */
declare const PACKAGE: { readonly homepage?: string; readonly license: string; readonly version: string };

/** The guides and references of the language. */
const STAN = 'https://mc-stan.org/docs/';

/** The version, and links to licenses and documentation. */
export function AboutView() {
  const isServed = useStore(({ server }) => server === 'ready' || server === 'locked');
  return (
    <Overlay label={t('about.title')}>
      <h2>{t('about.title')}</h2>
      <p>{t('about.version', PACKAGE)}</p>
      <ul>
        <PageLink href="LICENSES.txt" text={t('about.licenses')} />
        {PACKAGE.homepage !== undefined && <PageLink href={PACKAGE.homepage} text={t('about.documentation')} />}
        <PageLink href={STAN} text={t('about.language')} />
        {isServed && <PageLink href="docs" text={t('about.interface')} />}
      </ul>
      <div className="buttons">
        <CloseButton />
      </div>
    </Overlay>
  );
}

function PageLink({ href, text }: { readonly href: string; readonly text: string }) {
  return (
    <li>
      <a href={href} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    </li>
  );
}

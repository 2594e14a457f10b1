import '../../styles/qr.css';
import { useMemo } from 'react';
import { encode } from 'uqr';
import { linkTo } from '../../share/link.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { CloseButton, Overlay } from './Overlay.js';

/** Maximum number of characters of a QR code with the lowest level of error correction, the greatest that is possible (ISO/IEC 18004). */
const LONGEST = 2953;
/** Modules around the code, by which readers recognize it. */
const BORDER = 4;

/** The link to the project as a QR code, which phones open. */
export function QrView() {
  const project = useStore(({ project }) => project);
  const link = useMemo(() => linkTo(project), [project]);
  const title = t('files.qrOf', { name: project.name });
  return (
    <Overlay label={title}>
      <h2>{title}</h2>
      {link.length > LONGEST ? (
        <p className="prose">{t('files.longQr', { length: link.length, longest: LONGEST })}</p>
      ) : (
        <Code link={link} label={title} />
      )}
      {isLocal() && <p className="warning">{t('files.localQr', { host: location.host })}</p>}
      <div className="buttons">
        <CloseButton />
      </div>
    </Overlay>
  );
}

/** Whether only this device can open the page's address. */
function isLocal(): boolean {
  return /^(?:localhost|127\.|\[::1\])/.test(location.hostname);
}

function Code({ label, link }: { readonly label: string; readonly link: string }) {
  const { data, size } = useMemo(() => encode(link, { border: BORDER }), [link]);
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`}>
      <path d={dark.join('')} />
    </svg>
  );
}

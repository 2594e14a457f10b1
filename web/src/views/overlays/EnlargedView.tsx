import { useStore } from '../../state/store.js';
import { plotWords } from '../../words/messages.js';
import { Figure } from '../look/Figure.js';
import { CloseButton, Overlay } from './Overlay.js';

/** Share of the window's height that the plot takes. */
const SHARE = 0.68;

/** One plot in a large window. */
export function EnlargedView() {
  const enlarged = useStore(({ enlarged }) => enlarged);
  if (enlarged === undefined) return null;
  const { plot } = enlarged;
  const height = Math.round(SHARE * window.innerHeight);
  return (
    <Overlay label={plot({ width: 600, height: 400, words: plotWords }).title}>
      <div className="enlarged">
        <Figure plot={plot} height={height} hasLegend isDescribed isWide version={plot} />
      </div>
      <div className="buttons">
        <CloseButton />
      </div>
    </Overlay>
  );
}

import { share } from '../actions/share.js';
import { isOver } from '../state/run.js';
import { currentRun, update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { Menu, MenuItem } from './Menu.js';

/** Export of the project. */
export function ShareMenu() {
  const isEmpty = useStore(({ project }) => project.program.trim() === '');
  const isReportable = useStore((state) => {
    const run = currentRun(state);
    return run !== undefined && isOver(run) && run.draws > 1 && run.remote?.isLarge !== true;
  });
  return (
    <Menu label={t('frame.share')} isDisabled={isEmpty}>
      <MenuItem title={t('frame.copyLink')} detail={t('frame.copyLinkHelp')} onSelect={() => void share('copyLink')} />
      <MenuItem title={t('frame.qr')} detail={t('frame.qrHelp')} onSelect={() => update({ overlay: 'qr' })} />
      {isReportable && (
        <MenuItem
          title={t('frame.copyResults')}
          detail={t('frame.copyResultsHelp')}
          onSelect={() => void share('copyResults')}
        />
      )}
      <MenuItem
        title={t('frame.copyEmbedding')}
        detail={t('frame.copyEmbeddingHelp')}
        onSelect={() => void share('copyEmbedding')}
      />
      <MenuItem title={t('frame.saveZip')} detail={t('frame.saveZipHelp')} onSelect={() => void share('saveZip')} />
      {isReportable && (
        <>
          <MenuItem
            title={t('frame.picture')}
            detail={t('frame.pictureHelp')}
            onSelect={() => void share('savePicture')}
          />
          <MenuItem
            title={t('frame.report')}
            detail={t('frame.reportHelp')}
            onSelect={() => void share('saveReport')}
          />
        </>
      )}
      <MenuItem title={t('frame.code')} detail={t('frame.codeHelp')} onSelect={() => update({ overlay: 'code' })} />
    </Menu>
  );
}

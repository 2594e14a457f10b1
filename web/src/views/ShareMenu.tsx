import { copyEmbedding, copyLink, saveZip } from '../actions/sharing.js';
import { openFile } from '../actions/taking.js';
import { update, useStore } from '../state/store.js';
import { Menu, MenuItem, MenuLine } from './Menu.js';

/** Export and import of projects. */
export function ShareMenu() {
  const isEmpty = useStore(({ project }) => project.program.trim() === '');
  return (
    <Menu label="Share">
      {!isEmpty && (
        <>
          <MenuItem
            title="Copy a link"
            detail="It contains the program, the data and the settings"
            onSelect={() => void copyLink()}
          />
          <MenuItem
            title="Copy HTML to embed it"
            detail="An iframe that shows and runs the project in another page"
            onSelect={() => void copyEmbedding()}
          />
          <MenuItem
            title="Save as a zip file"
            detail="With all runs, and their draws as CSV files"
            onSelect={() => void saveZip()}
          />
          <MenuItem
            title="Code and notebooks"
            detail="The same run with CmdStanPy, cmdstanr, curl or TypeScript, or as a notebook for Jupyter or Quarto"
            onSelect={() => update({ overlay: 'code' })}
          />
          <MenuLine />
        </>
      )}
      <MenuItem
        title="Open files"
        detail="A zip file, programs, data (JSON, R dump, CSV), draws (CSV, Arrow, netCDF)"
        onSelect={openFile}
      />
    </Menu>
  );
}

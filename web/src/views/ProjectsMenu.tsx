import { useState } from 'react';
import { deleteProject, keptProjects } from '../state/keeping.js';
import { openProject } from '../state/opening.js';
import { emptyProject, type Project } from '../state/project.js';
import { useStore } from '../state/store.js';
import { Menu, MenuHeading, MenuItem, MenuLine } from './Menu.js';

const MOST_LISTED = 12;

/** Projects that this browser keeps. */
export function ProjectsMenu() {
  const current = useStore(({ project }) => project.id);
  return (
    <Menu label="Projects">
      <MenuItem title="New project" onSelect={() => openProject(emptyProject())} />
      <MenuItem
        title="Duplicate this project"
        onSelect={() => {
          const { project } = useStore.getState();
          openProject({ ...project, id: crypto.randomUUID(), name: `${project.name} (copy)`, savedAt: Date.now() });
        }}
      />
      <Kept current={current} />
    </Menu>
  );
}

function Kept({ current }: { readonly current: string }) {
  const [projects, setProjects] = useState<readonly Project[]>();
  if (projects === undefined) {
    void keptProjects().then(setProjects);
    return null;
  }
  const others = projects.filter(({ id }) => id !== current).slice(0, MOST_LISTED);
  return (
    <>
      {others.length > 0 && (
        <>
          <MenuLine />
          <MenuHeading>Kept in this browser</MenuHeading>
          {others.map((project) => (
            <MenuItem
              key={project.id}
              title={project.name || 'Untitled'}
              detail={new Date(project.savedAt).toLocaleString()}
              onSelect={() => openProject(project)}
            />
          ))}
        </>
      )}
      {projects.some(({ id }) => id === current) && (
        <>
          <MenuLine />
          <MenuItem
            title="Delete this project"
            isDangerous
            onSelect={() => {
              void deleteProject(current);
              openProject(emptyProject());
            }}
          />
        </>
      )}
    </>
  );
}

import type { ProgramProfile } from 'leapfrog';
import type { Project } from './project.js';

/** A profile that is being measured, or the latest one. */
export interface Profiling {
  /** The project when the measurement began. */
  readonly project: Project;
  readonly isRunning: boolean;
  /** Why there is no result. */
  readonly problem?: string;
  /** The files of its statements are named as in the project. */
  readonly result?: ProgramProfile;
}

interface Profiled {
  readonly profile: Profiling | undefined;
  readonly project: Project;
}

/** The profile of the current program with the current data. */
export function currentProfile({ profile, project }: Profiled): Profiling | undefined {
  const isCurrent =
    profile?.project.program === project.program &&
    profile.project.includes === project.includes &&
    profile.project.data === project.data;
  return isCurrent ? profile : undefined;
}

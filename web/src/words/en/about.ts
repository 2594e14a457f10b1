/** The version, and links to licenses and documentation. */
export const about = {
  title: 'About Leapfrog',
  version: 'Version {version}, license {license}',
  licenses: 'Licenses of Leapfrog and of the packages in this page',
  documentation: 'Documentation',
  language: 'Documentation of the Stan language',
  interface: 'HTTP interface of this server',
} as const;

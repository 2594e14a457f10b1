export const about = {
  title: 'Über Leapfrog',
  version: 'Version {version}, Lizenz {license}',
  licenses: 'Lizenzen von Leapfrog und von den Paketen in dieser Seite',
  documentation: 'Dokumentation',
  interface: 'HTTP-Schnittstelle dieses Servers',
} as const;

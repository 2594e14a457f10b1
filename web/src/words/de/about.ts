export const about = {
  title: 'Über Leapfrog',
  version: 'Version {version}, Lizenz {license}',
  licenses: 'Lizenzen von Leapfrog und von den Paketen in dieser Seite',
  documentation: 'Dokumentation',
  language: 'Dokumentation der Sprache Stan (englisch)',
  interface: 'HTTP-Schnittstelle dieses Servers',
} as const;

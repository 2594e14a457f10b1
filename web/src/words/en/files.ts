/** Links, files, exports, the server's token. */
export const files = {
  cannotOpen: '{names} cannot be opened: {reason}.',
  noProgram: '{names} cannot be opened: no program has that name. Open the project, then its data.',
  severalPrograms: '{names} cannot be opened together with several programs. Open one of them, then the draws.',
  included: '{names} can be included now.',
  drawsFrom: 'Draws from {files}. The files do not contain the program.',
  columnsDiffer: 'the columns of {file} differ from those of {first}. Open the chains of one run at a time',
  reasonIn: 'in {file}, {reason}',
  noRows: 'it has no draws below the header line',
  beside: 'Not opened, because they contain no draws: {names}.',
  noDensity: 'it has no column lp__',
  noProgramInZip: 'it contains no Stan program',
  notZip: 'it is not a zip file',
  partMissing:
    'A part of this page cannot be loaded. Reload the page: its files may have been replaced, or the network may be unavailable.',

  linkProblem: 'The link cannot be opened: {reason}.',
  linkDamaged: 'The link is damaged or incomplete: it contains no readable project.',
  notHttps: '{parameter} is not an https address',
  notFetched: '{address} cannot be fetched: its server cannot be reached, or does not allow other pages to read it',
  notFetchedStatus: '{address} cannot be fetched: its server returned {status}',
  qrOf: 'QR code of the link to {name}',
  longQr:
    'The link has {length, number} characters. A QR code has at most {longest, number}: shorten the data, or copy the link.',
  localQr: 'Other devices cannot open this link: {host} is an address that only this device can reach.',
  linkCopied: 'The link is in the clipboard. It contains the program, the data and the settings.',
  longLinkCopied:
    'The link is in the clipboard. It contains the program, the data and the settings. It has {length, number} characters, which is too long for some programs; a zip file is safer.',
  resultsCopied:
    'The link is in the clipboard. It contains the program, the data, the summary and {draws, number} draws of this run, in {length, number} characters.',
  resultsTooLong:
    'Program, data and results need at least {length, number} characters; links have at most {longest, number}, because some programs shorten longer ones. Save the project as a zip file instead.',
  linkInAddress: 'The link is in the address bar. Copy it from there.',
  embeddingCopied: 'HTML for an iframe with this project is in the clipboard.',
  embeddingRefused:
    'HTML for an iframe with this project is in the clipboard, but this server does not allow other pages to embed it. Start the server with --frame-ancestors and the origin of that page.',
  clipboardRefused: 'The browser does not allow the page to write to the clipboard.',
  tooLarge:
    'The draws of {runs} are too large for the zip file. They stay on the server, and the file contains their address. The Draws tab saves them chain by chain.',
  notebookProblem: 'A notebook cannot be created: {reason}.',
  notInPackages: 'the run starts from another run, or its function is not in the packages',

  code: 'Code',
  codeTitle: 'Run this elsewhere',
  codeHelp: 'The code expects the program in model.stan and the data in data.json, as in the zip file.',
  codeLanguages: 'Languages',
  notebookHelp:
    'Or save a notebook that repeats the run with the package leapfrog. It contains the program, the data, the settings and the seed.',

  linkedLabel: 'Open the files of the link',
  linkedTitle: 'Open files from {hosts}?',
  linkedHelp: 'The link names these files. Opening them sends a request to their servers.',
  linkedProgram: 'Program',
  linkedData: 'Data',
  linkedProject: 'Project',
  open: 'Open',

  tokenLabel: 'Token of the server',
  tokenTitle: 'This server requires a token',
  tokenHelp: "Ask the server's operator for the token (--token). It is stored in this browser.",
  token: 'Token',
  useToken: 'Use this token',
  runInBrowser: 'Run in the browser',
  tokenWrong: 'The server does not accept this token.',
} as const;

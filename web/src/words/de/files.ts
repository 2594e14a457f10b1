export const files = {
  cannotOpen: '{names} kann nicht geöffnet werden: {reason}.',
  noProgram:
    '{names} kann nicht geöffnet werden: Kein Programm hat diesen Namen. Öffnen Sie das Projekt und danach seine Daten.',
  severalPrograms:
    '{names} kann nicht zusammen mit mehreren Programmen geöffnet werden. Öffnen Sie eines davon und danach die Ziehungen.',
  included: '{names} kann jetzt eingebunden werden.',
  drawsFrom: 'Ziehungen aus {files}. Die Dateien enthalten das Programm nicht.',
  columnsDiffer: 'Die Spalten von {file} weichen von denen in {first} ab. Öffnen Sie die Ketten eines Laufs allein',
  reasonIn: 'in {file}: {reason}',
  noRows: 'Unter den Spaltennamen stehen keine Ziehungen',
  beside: 'Nicht geöffnet, weil sie keine Ziehungen enthalten: {names}.',
  noDensity: 'Die Spalte lp__ fehlt',
  noProgramInZip: 'Sie enthält kein Stan-Programm',
  notZip: 'Es ist keine ZIP-Datei',
  partMissing:
    'Ein Teil dieser Seite kann nicht geladen werden. Laden Sie die Seite neu: Ihre Dateien wurden vielleicht ersetzt, oder das Netz ist nicht erreichbar.',

  linkProblem: 'Der Link kann nicht geöffnet werden: {reason}.',
  linkDamaged: 'Der Link ist beschädigt oder unvollständig: Er enthält kein lesbares Projekt.',
  notHttps: '{parameter} ist keine https-Adresse',
  notFetched:
    '{address} kann nicht geladen werden: Der Server ist nicht erreichbar oder erlaubt anderen Seiten keinen Zugriff',
  notFetchedStatus: '{address} kann nicht geladen werden: Der Server antwortet mit {status}',
  qrOf: 'QR-Code des Links zu {name}',
  longQr:
    'Der Link hat {length, number} Zeichen. Ein QR-Code hat höchstens {longest, number}: Kürzen Sie die Daten, oder kopieren Sie den Link.',
  localQr: 'Andere Geräte können diesen Link nicht öffnen: {host} ist nur von diesem Gerät aus erreichbar.',
  linkCopied: 'Der Link ist in der Zwischenablage. Er enthält Programm, Daten und Einstellungen.',
  longLinkCopied:
    'Der Link ist in der Zwischenablage. Er enthält Programm, Daten und Einstellungen. Mit {length, number} Zeichen ist er für manche Programme zu lang; eine ZIP-Datei ist sicherer.',
  resultsCopied:
    'Der Link ist in der Zwischenablage. Er enthält Programm, Daten, Übersicht und {draws, number} Ziehungen dieses Laufs, in {length, number} Zeichen.',
  resultsTooLong:
    'Programm, Daten und Ergebnisse brauchen mindestens {length, number} Zeichen; Links haben höchstens {longest, number}, weil manche Programme längere kürzen. Speichern Sie das Projekt stattdessen als Zip-Datei.',
  linkInAddress: 'Der Link steht in der Adresszeile. Kopieren Sie ihn von dort.',
  embeddingCopied: 'HTML für einen iframe mit diesem Projekt ist in der Zwischenablage.',
  embeddingRefused:
    'HTML für einen iframe mit diesem Projekt ist in der Zwischenablage, aber dieser Server erlaubt anderen Seiten das Einbetten nicht. Starten Sie ihn mit --frame-ancestors und dem Ursprung der Seite.',
  clipboardRefused: 'Der Browser erlaubt der Seite nicht, in die Zwischenablage zu schreiben.',
  tooLarge:
    'Die Ziehungen von {runs} sind zu groß für die ZIP-Datei. Sie bleiben auf dem Server, und die Datei enthält ihre Adresse. Der Reiter „Ziehungen“ speichert sie Kette für Kette.',
  notebookProblem: 'Das Notebook kann nicht erstellt werden: {reason}.',
  notInPackages: 'Der Lauf beginnt bei einem anderen Lauf, oder die Pakete haben seine Funktion nicht',

  code: 'Code',
  codeTitle: 'Anderswo ausführen',
  codeHelp: 'Der Code erwartet das Programm in model.stan und die Daten in data.json, wie in der ZIP-Datei.',
  codeLanguages: 'Sprachen',
  notebookHelp:
    'Oder speichern Sie ein Notebook, das den Lauf mit dem Paket leapfrog wiederholt. Es enthält Programm, Daten, Einstellungen und Seed.',

  linkedLabel: 'Dateien des Links öffnen',
  linkedTitle: 'Dateien von {hosts} öffnen?',
  linkedHelp: 'Der Link nennt diese Dateien. Beim Öffnen geht eine Anfrage an ihre Server.',
  linkedProgram: 'Programm',
  linkedData: 'Daten',
  linkedProject: 'Projekt',
  open: 'Öffnen',

  tokenLabel: 'Token des Servers',
  tokenTitle: 'Dieser Server verlangt ein Token',
  tokenHelp: 'Fragen Sie den Betreiber des Servers nach dem Token (--token). Es wird in diesem Browser gespeichert.',
  token: 'Token',
  useToken: 'Token verwenden',
  runInBrowser: 'Im Browser rechnen',
  tokenWrong: 'Der Server akzeptiert dieses Token nicht.',
} as const;

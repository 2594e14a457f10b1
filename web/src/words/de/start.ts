export const start = {
  nextStep: 'Nächster Schritt',
  programError: 'Das Programm enthält einen Fehler',
  wholeMessage: 'Die vollständige Meldung',
  goToLine: 'Zu Zeile {line}',
  goToLineOf: 'Zu {file}, Zeile {line}',
  checkingProgram: 'Das Programm wird geprüft …',
  dataError: 'Die Daten passen nicht zum Programm',
  goToData: 'Zu den Daten',
  checkingData: 'Die Daten werden geprüft …',
  slowData:
    'Mit diesen Daten braucht die Berechnung von transformed data oder von Teilen des Modells, die nur von Daten abhängen, länger als {seconds} Sekunden. Deshalb wurden die Daten nicht vollständig geprüft. Sie werden geprüft, wenn Sie das Programm starten.',
  onlyData: 'Als Nächstes: Parameter und Modell',
  onlyDataHelp:
    'Das Programm deklariert seine Daten. Deklarieren Sie die Unbekannten im Block <code>parameters</code> und legen Sie in <code>model</code> fest, wie die Daten von ihnen abhängen, zum Beispiel <code>y ~ normal(a + b * x, sigma)</code>. Namen werden beim Tippen vervollständigt.',
  ready: 'Bereit zum Start',
  readyHelp: 'Auf „Starten“ klicken oder <kbd>{keys}</kbd> drücken.',
  onServer:
    'Programm und Daten werden an den Server gesendet. Der Lauf geht weiter, wenn diese Seite geschlossen wird.',
  inBrowser: 'Die Ketten laufen in diesem Browser, auf den Kernen dieses Geräts. Die Daten bleiben auf dem Gerät.',
  tourOffer: 'Neu hier? Nur vier Stationen.',
  takeTour: 'Rundgang starten',
  noTour: 'Nein, danke',
  welcome: 'Modell schreiben, starten, Ergebnisse prüfen',
  welcomeHelp:
    'Diese Seite kompiliert Stan-Programme und zieht Stichproben aus ihrer Verteilung. Schreiben Sie ein eigenes in model.stan, oder öffnen Sie ein Beispiel:',
  tryLive: 'Ausprobieren: Kopf und Zahl einer Münze verschieben',
  orLesson: 'Oder beginnen Sie mit einer Lektion, Schritt für Schritt:',
  orData:
    'Oder beginnen Sie mit Ihren Daten: einer Tabelle (CSV), JSON oder einem R-Dump. Die Seite fügt ihre Deklarationen in das Programm ein.',
  openData: 'Daten öffnen',
  pasteTable: 'Tabelle einfügen',

  tourStop: 'Rundgang, Station {stop} von {count}',
  tourPlace: '{stop} von {count}',
  tourNext: 'Weiter',
  tourDone: 'Fertig',
  tourBack: 'Zurück',
  tourEnd: 'Rundgang beenden',
  tourWrite: 'Schreiben',
  tourWriteText:
    'Hier schreiben Sie ein Stan-Programm. Fehler werden beim Tippen unterstrichen, Namen vervollständigt.',
  tourData: 'Daten',
  tourDataText: 'Die Daten stehen als JSON in einem eigenen Reiter. Sie können auch eine Tabelle auf die Seite ziehen.',
  tourRun: 'Starten',
  tourRunText:
    'Das Programm läuft in Ihrem Browser. Die Daten bleiben auf dem Gerät. Unter dem Programm wählen Sie das Verfahren und seine Einstellungen.',
  tourLook: 'Ergebnisse',
  tourLookText:
    'Hier erscheinen die Ergebnisse: zuerst, ob sie verlässlich sind, dann Größen, Diagramme und prädiktive Prüfungen. Beginnen Sie mit einem Beispiel oder einer Lektion.',
} as const;

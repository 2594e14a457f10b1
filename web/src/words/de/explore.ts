export const explore = {
  none: 'Noch nichts zu verschieben: Die Daten enthalten keine einzelnen Zahlen, und keine Zeile des Programms hat den Kommentar <code>// @slider</code>. Setzen Sie ihn hinter eine Konstante, etwa <code>theta ~ beta(2, 2); // @slider</code>, und starten Sie erneut.',
  sliders: 'Zahlen zum Verschieben',
  help: 'Verschieben Sie eine Zahl: Das Programm zieht erneut, ausgehend von den letzten Ziehungen.',
  drawn: '{count, plural, one {# Ziehung} other {# Ziehungen}} in {time, number, ::group-off} ms.',
  short: 'Das Aufwärmen war kurz: Für einen Befund übernehmen Sie die Zahlen und starten Sie.',
  rough:
    'Die Ketten haben sich in diesem kurzen Lauf nicht gemischt, die Kurven sind also grob: Übernehmen Sie die Zahlen und starten Sie.',
  now: 'jetzt',
  reset: 'Zurücksetzen',
  apply: 'Zahlen übernehmen',
  applyHelp: 'Ersetzt die Zahlen im Programm und in den Daten',
  applied: 'Programm und Daten haben jetzt die Zahlen der Regler.',
  estimates: 'Wichtige Größen mit diesen Zahlen',
  line: 'Zeile {line}',
  place: 'Zeile {line}, Zahl {index}',
  value: 'Wert von {name}',
} as const;

export const script = {
  run: 'Skript ausführen',
  stop: 'Skript anhalten',
  exampleDraws: 'Beispiel: Ziehungen darstellen',
  exampleData: 'Beispiel: Daten simulieren',
  editor: 'Skript in JavaScript',
  help: 'JavaScript mit <code>draws</code>, <code>chain</code>, <code>data</code> und Observable Plot als <code>Plot</code>. Ausgabe: <code>print(…)</code>, <code>table(…)</code>, <code>show(plot)</code>. Ein zurückgegebenes Objekt kann zu den Daten werden.',
  output: 'Ausgabe des Skripts',
  running: 'Das Skript läuft …',
  errorAt: 'Zeile {line}: {message}',
  moreRows: '{count, plural, one {# weitere Zeile} other {# weitere Zeilen}}',
  dataTaken: 'Die Daten kommen jetzt aus dem Skript.',
  tooManyDraws: 'Der Lauf hat zu viele Ziehungen für ein Skript.',
} as const;

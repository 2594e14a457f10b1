export const profile = {
  label: 'Laufzeitprofil',
  action: 'Laufzeitprofil des Programms',
  title: 'Zeit eines Gradienten nach Anweisungen',
  help: 'Misst, wie lange jede Anweisung in einer Auswertung der Log-Dichte und ihres Gradienten mit diesen Daten dauert. Anteile und Zeiten stehen auch neben den Zeilen des Programms, bis sich das Programm oder die Daten ändern.',
  measure: 'Messen',
  measuring: 'Messung läuft … Sie dauert etwa eine Sekunde, bei langsamen oder langen Programmen länger.',
  result: 'Ergebnis der Messung',
  statement: 'Anweisung',
  share: 'Anteil',
  time: 'Zeit',
  executions: 'Ausführungen',
  executionsHelp: 'Ausführungen in einer Auswertung: eine je Durchlauf der umgebenden Schleifen',
  line: 'Zeile {line}',
  lineOf: '{file}, Zeile {line}',
  total:
    '{time} je Gradient, das kleinste Mittel von {count, number} Auswertungen in Gruppen. {share} davon gehören zu keiner Anweisung.',
} as const;

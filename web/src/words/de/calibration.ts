export const calibration = {
  label: 'Kalibrierung',
  title: 'Simulationsbasierte Kalibrierung',
  help: 'Zieht Parameter aus der A-priori-Verteilung, simuliert Datensätze und passt das Modell mit dem gewählten Sampler an jeden von ihnen an. Sind Programm und Sampler richtig, so sind die Ränge der Parameter unter den Ziehungen ihrer Anpassungen gleichverteilt. Die Werte der Zielgrößen in den Daten bestimmen nur deren Größe.',
  simulations: 'Simulationen',
  start: 'Kalibrieren',
  drawing: 'Ziehungen aus der A-priori-Verteilung …',
  progress: '{done, number} von {count, number} Simulationen',
  result: 'Ergebnis der Kalibrierung',
  good: 'Es wurde keine Fehlkalibrierung gefunden',
  bad: 'Die Anpassungen sind nicht kalibriert',
  plotted:
    'Gezeigt werden {shown, number} von {count, number} Parametern: die, deren Ränge am stärksten von einer Gleichverteilung abweichen.',
  check: 'Kalibrierung prüfen',
  checkHelp:
    'Passt das Modell an Daten an, die aus der A-priori-Verteilung simuliert sind, und prüft, ob die Parameter wiedergefunden werden',
} as const;

const AND_MORE = '{more, plural, =0 {} other { und weitere}}';
const OUTSIDE =
  '{outside} von {count} liegen außerhalb des 90-%-Intervalls, wo etwa {expected} lägen, wenn das Modell richtig wäre.';
const STATISTIC = '{statistic, select, mean {Mittelwert} sd {Standardabweichung} least {Minimum} other {Maximum}}';
const BAND = '{isOutside, plural, =0 {Die Linie bleibt in dem Band} other {Die Linie verlässt das Band}}';

export const figures = {
  aboveZero: 'P(> 0)',
  axis: 'Achse',
  axisRange: 'Von {from} bis {to}.',
  band: 'Band',
  bin: 'Klasse',
  bulk: 'Mitte',
  chain: 'Kette',
  chainOf: 'Kette {name}',
  changes: 'Änderungen',
  constantValue: 'konstant: {value}',
  count: 'Anzahl',
  curve: 'Kurve',
  density: 'Dichte',
  depth: 'Tiefe',
  difference: 'Differenz',
  divergent: 'divergent',
  divergentDraw: 'divergente Ziehung',
  draw: 'Ziehung',
  draws: 'Ziehungen',
  effect: 'Effekt',
  energy: 'Energie',
  firstRank: 'erster Rang',
  fit: 'Anpassung',
  fractionalRank: 'relativer Rang',
  from: 'von',
  high: 'obere Grenze',
  interval90: '90-%-Intervall',
  iteration: 'Iteration',
  lag: 'Abstand',
  lastRank: 'letzter Rang',
  low: 'untere Grenze',
  mean: 'Mittelwert',
  median: 'Median',
  meanOf: 'Mittelwert von {name}',
  meansRange: 'Mittelwerte {from} bis {to}',
  model: 'Modell',
  noFiniteValue: 'kein endlicher Wert',
  notFiniteShare: '{percent} % der Ziehungen sind NaN oder unendlich',
  observation: 'Beobachtung',
  observations: 'Beobachtungen',
  observed: 'beobachtet',
  paretoK: 'Pareto-k',
  place: 'Stelle',
  probability: 'Wahrscheinlichkeit',
  quantity: 'Größe',
  range: '{from} bis {to}',
  rank: 'Rang',
  share: 'Anteil',
  simulation: 'Simulation',
  simulationOf: 'Simulation {number}',
  simulations: 'Simulationen',
  standardDeviations: 'Standardabweichungen',
  stepSize: 'Schrittweite',
  tail: 'Ränder',
  to: 'bis',
  transitions: 'Übergänge',
  treeDepth: 'Baumtiefe',
  value: 'Wert',

  spotInterval: '{name}: {median} ({from} bis {to})',
  spotChain: 'Kette {chain}: {value}',
  spotChainDraws: 'Kette {chain}: {count, plural, one {1 Ziehung} other {{count} Ziehungen}}',
  spotDraw: 'Kette {chain}, Ziehung {draw}: {value}',
  spotRanks:
    'Ränge {from} bis {to}: {count, plural, one {1 Anpassung} other {{count} Anpassungen}}, Band {low} bis {high}',
  spotBand: '{place}: {difference}, Band ±{width}',
  spotSimulated: '{name}: {value}, simuliert {from} bis {to}',
  spotSimulatedMean: '{name}: Mittelwert von {count} {value}, simuliert {from} bis {to}',
  spotModel: '{name}, {model}: {value}, Pareto-k {k}',

  traceTitle: 'Pfad von {name}',
  traceAbout:
    '{chains, plural, one {Eine Kette} other {{chains} Ketten}} von {name}, Ziehung für Ziehung, zwischen {low} und {high}.{divergent, plural, =0 {} other { Unten markiert: {divergent} divergente Übergänge.}}',
  warmupTitle: 'Pfad von {name} in der Aufwärmphase',
  warmupAbout:
    '{chains, plural, one {Eine Kette} other {{chains} Ketten}} von {name} in der Aufwärmphase, Iteration für Iteration. Diese Ziehungen gehören nicht zu den Ergebnissen.',
  densityTitle: 'Dichte von {name}',
  densityAbout: 'Dichte von {name} je Kette, von {from} bis {to}.',
  densityConstant: 'Die Ziehungen von {name} variieren innerhalb einer Kette nicht: Es gibt keine Dichte.',
  distributionTitle: 'Verteilung von {name}',
  distributionAbout:
    'Dichte aller Ziehungen von {name}: Median {median}, 50-%-Intervall {low} bis {high}, 90-%-Intervall {from} bis {to}.',
  distributionNumbers: 'Median {median}, 90 %: {from} bis {to}',
  comparedAbout: 'Dichte von {name} in {fits}, von {from} bis {to}.',
  comparedConstant: 'Die Ziehungen von {name} variieren nicht: Es gibt keine Dichte.',
  comparedFits: '{first} und {second}',
  autocorrelationTitle: 'Autokorrelation von {name}',
  autocorrelationAbout:
    'Korrelation der Ziehungen von {name} mit denen bis zu {lags} Ziehungen davor; bei unabhängigen Ziehungen ist sie 0.',
  ranksTitle: 'Ränge von {name}',
  ranksAbout:
    'Wie viele Ziehungen von {name} jeder Kette in jedes Zwanzigstel aller Ziehungen fallen; bei Ketten, die übereinstimmen, etwa {expected}.',
  ecdfTitle: 'ECDF-Differenz von {name}',
  ecdfSingle:
    'Verteilungen der Ränge von {name} abzüglich der Gleichverteilung. Eine einzelne Kette lässt sich mit nichts vergleichen.',
  ecdfGood:
    'Verteilungen der Ränge von {name} abzüglich der Gleichverteilung. Alle Ketten bleiben in dem Band, das Ketten derselben Verteilung in 95 % der Fälle enthält.',
  ecdfBad:
    'Verteilungen der Ränge von {name} abzüglich der Gleichverteilung. {count, plural, one {Kette {chains} verlässt} other {Die Ketten {chains} verlassen}} das Band, das Ketten derselben Verteilung in 95 % der Fälle enthält.',
  energyTitle: 'Energie',
  energyAbout:
    'Die Energie um ihren Mittelwert und ihre Änderungen von Ziehung zu Ziehung. E-BFMI ist mindestens {least} in jeder Kette.',
  treeDepthTitle: 'Baumtiefe',
  treeDepthAbout: 'Baumtiefen der Trajektorien, von {least} bis {greatest}.',
  stepSizeTitle: 'Schrittweite und Akzeptanz',
  stepSizeAbout:
    'Akzeptanzstatistiken von {chains, plural, one {einer Kette} other {{chains} Ketten}} mit Schrittweiten von {from} bis {to}: Mediane, 50-%- und 90-%-Intervalle.',
  stepSizeRow: 'Kette {chain}, Schritt {step}',
  localSampleSizeTitle: 'Lokaler Stichprobenumfang von {name}',
  localSampleSizeAbout:
    'Effektive Stichprobenumfänge der Quantile von {name} (Linie) und der Intervalle dazwischen (Kästen), nach Wahrscheinlichkeit; der kleinste ist {least}.',
  ofQuantiles: 'von Quantilen',
  ofIntervals: 'von Intervallen',
  sampleSizeTitle: 'Effektiver Stichprobenumfang von {name}',
  sampleSizeConstant: 'Der effektive Stichprobenumfang von {name} ist nicht definiert: Die Ziehungen variieren nicht.',
  sampleSizeBulk:
    'Effektiver Stichprobenumfang von {name} bei wachsender Zahl der Ziehungen, am Ende {bulk} in der Mitte.',
  sampleSizeAbout:
    'Effektiver Stichprobenumfang von {name} bei wachsender Zahl der Ziehungen, am Ende {bulk} in der Mitte und {tail} in den Rändern.',
  pairTitle: '{up} gegen {across}',
  pairAbout: 'Ziehungen von {up} gegen {across}. Divergente Übergänge, als Kreuze: {count}.',
  pairMatrixTitle: 'Matrix der Paare',
  pairMatrixAbout:
    'Dichten von {names} und die Ziehungen jedes Paars. Korrelationen: {correlations}. Divergente Übergänge, als Kreuze: {count}.',
  pairMatrixCorrelation: 'Korrelation von {up} und {across}: {value}',
  parallelTitle: 'Parallele Koordinaten',
  parallelAbout:
    '{shown} von {count} Ziehungen als Linien über {quantities} Größen, jede abzüglich ihres Mittelwerts und geteilt durch ihre Standardabweichung; {divergent} divergente Ziehungen{hidden, plural, =0 {} other {, von denen {shownDivergent} gezeigt werden,}} haben Kreuze.',
  intervalsTitle: 'Intervalle',
  intervalsAbout: `Mediane mit 50-%- und 90-%-Intervallen von {count} Größen: {medians}${AND_MORE}.`,
  ridgelinesTitle: 'Gratlinien',
  ridgelinesAbout: `Dichten von {count} Größen, alle gleich hoch gezeichnet, mit ihren Medianen: {medians}${AND_MORE}.`,
  effectAbout: '{name}: Median {median}, 90-%-Intervall {from} bis {to}, P(> 0) {above}.',
  fittedAbout:
    'Linie: Median von „{name}“, gemittelt über die Zeilen der Daten; Bänder: 50-%- und 90-%-Intervalle davon. Einzelne Beobachtungen (Punkte) streuen stärker.',
  fittedPanelsAbout:
    'Jedes der {count} Felder zeigt die Größe „{name}“, wenn alle Zeilen zu seiner Gruppe gehörten, und die Beobachtungen dieser Gruppe.{hidden, plural, =0 {} one { Eine weitere Gruppe ist nicht gezeigt.} other { {hidden} weitere Gruppen sind nicht gezeigt.}}',
  fittedCategoriesAbout:
    'Jedes der {count} Felder zeigt die Wahrscheinlichkeit einer Kategorie, gemittelt über die Zeilen der Daten, mit 50-%- und 90-%-Intervallen. Punkte sind Beobachtungen, bei 1, wenn sie zur Kategorie gehören.',
  fittedPredictionsAbout:
    'Linie: Median der Simulationen von {name}; Bänder: ihre 50-%- und 90-%-Intervalle. {outside} von {count} Beobachtungen (Punkte) liegen außerhalb der 90-%-Intervalle.',
  ecdfsTitle: 'Verteilungsfunktionen von {name}',
  ecdfsAbout:
    'Die empirische Verteilungsfunktion von {name} (dick) über denen von {count} Simulationen (dünn): Könnte das Modell die Daten erzeugt haben, liegt die dicke Linie zwischen den dünnen.',
  meanOfSimulations: 'Mittelwert von simuliertem {name}',
  observedAgainstMeanTitle: '{name} gegen die mittlere Vorhersage',
  observedAgainstMeanAbout:
    'Jede Beobachtung von {name} gegen den Mittelwert ihrer Simulationen: {above} von {count} liegen über der gestrichelten Linie, auf der beide gleich sind.',
  errorOf: '{name} minus Mittelwert',
  errorsTitle: 'Fehler von {name}',
  errorsAbout: `Jede Beobachtung von {name} minus den Mittelwert ihrer Simulationen (Punkte), mit 90-%-Intervallen dieser Differenz in den Simulationen; ${OUTSIDE}`,
  meanErrorOf: 'mittlerer Fehler von {name}',
  binnedErrorsAbout: `Der Mittelwert von {name} minus den Mittelwert der Simulationen in jeder von {count} Klassen vorhergesagter Wahrscheinlichkeit (Punkte), mit 90-%-Intervallen dieser Differenz in den Simulationen; ${OUTSIDE}`,
  predictedProbability: 'vorhergesagte Wahrscheinlichkeit von {name} = 1',
  shareOfOnes: 'Anteil von {name} = 1',
  reliabilityTitle: 'Kalibrierung von {name}',
  reliabilityAbout:
    'Der Anteil der Einsen nach vorhergesagter Wahrscheinlichkeit (Linie), geschätzt durch isotone Regression, mit 90-%-Intervallen davon in den Simulationen (Band). {outside} von {count} Beobachtungen liegen außerhalb des Bandes.',
  twoStatisticsTitle: '{name}: zwei Statistiken',
  twoStatisticsAbout:
    '{across} und {up} von {name} sind {first} und {second} (großer Punkt); kleine Punkte sind die von {count} Simulationen.',
  fittedLevelsAbout:
    'Mediane von „{name}“, gemittelt über die Zeilen der Daten, mit 50-%- und 90-%-Intervallen. Einzelne Beobachtungen (Punkte) streuen stärker.',
  fittedLine: 'Median, 50-%- und 90-%-Intervall',
  fittedOverall: 'alle Gruppen',
  forestTitle: 'Wichtigste Größen',
  forestAbout: `Mittelwerte und 90-%-Intervalle: {rows}${AND_MORE}.`,
  stripTitle: 'Intervall von {name}',
  stripAbout: 'Mittelwert {mean}, 90-%-Intervall {interval}.',
  stripElements: 'Elemente: {interval}.',

  histogramGood:
    'Ränge von {name} in {fits} Anpassungen an simulierte Daten. Alle Anzahlen liegen in dem Band, das in {percent} % der Fälle alle enthält, wenn die Anpassungen richtig sind.',
  histogramBad:
    'Ränge von {name} in {fits} Anpassungen an simulierte Daten. {outside} von {bins} Anzahlen liegen nicht in dem Band, das in {percent} % der Fälle alle enthält, wenn die Anpassungen richtig sind.',
  calibrationTitle: 'ECDF-Differenz der Ränge von {name}',
  calibrationAbout: `Verteilung der Ränge von {name} abzüglich der Gleichverteilung. ${BAND}, das sie in {percent} % der Fälle enthält, wenn die Anpassungen richtig sind. Bei zu schmalen A-posteriori-Verteilungen steigt, fällt und steigt sie; bei zu breiten fällt, steigt und fällt sie.`,

  paretoKAbout:
    'Pareto-k von {count} Beobachtungen, die je einmal weggelassen werden.{high, plural, =0 {} one { Bei einer liegt k über {limit}: Ihre Schätzung ist nicht verlässlich.} other { Bei {high} liegt k über {limit}: Ihre Schätzungen sind nicht verlässlich.}}',
  looPitTitle: '{name}: LOO-PIT',
  looPitAbout: `Wo {count} Beobachtungen von {name} in ihren Vorhersagen aus allen anderen liegen, abzüglich der Gleichverteilung. ${BAND}, das sie in 95 % der Fälle enthält, wenn das Modell richtig ist. Bei zu schmalen Vorhersagen steigt, fällt und steigt sie; bei zu breiten fällt, steigt und fällt sie.{isRandomized, plural, =0 {} other { Stellen unter gleichen Simulationen sind zufällig gewählt.}}`,

  densitiesTitle: '{name}: Dichten',
  densitiesAbout:
    'Die Dichte von {name} (dick) über denen von {count} Simulationen (dünn): Daten, die das Modell erzeugt haben könnte, liegen zwischen ihnen.',
  outsideValues: 'Die Achse lässt {percent} % der simulierten Werte aus.',
  outsideDraws: 'Die Achse lässt {percent} % der Ziehungen aus.',
  outsideSimulations: 'Die Achse lässt {percent} % der Simulationen aus.',
  frequenciesTitle: '{name}: Häufigkeiten',
  frequenciesByChain: 'Häufigkeiten von {name} je Kette, von {from} bis {to}.',
  frequenciesAbout:
    'Wie oft jeder Wert von {name} vorkommt (Balken), mit Median und 90-%-Intervall in den Simulationen (Punkte und Linien).',
  observedIntervalsTitle: '{name}: Intervalle',
  observedIntervalsAbout: `Jede Beobachtung von {name} mit 50-%- und 90-%-Intervallen ihrer Simulationen; ${OUTSIDE}`,
  statistic: STATISTIC,
  statisticOf: `${STATISTIC} von {name}`,
  statisticTitle: `{name}: ${STATISTIC}`,
  statisticAbout:
    '{statistic, select, mean {Der Mittelwert} sd {Die Standardabweichung} least {Das Minimum} other {Das Maximum}} von {name} ist {value}; {percent} % der Simulationen haben mindestens so viel.',
  percentAbove: '{percent} % darüber',
  byTitle: '{name} nach {other}',
  againstTitle: '{name} gegen {other}',
  groupsAbout: `Der Mittelwert von {name} in jeder von {count} Gruppen von {other} (Punkte), mit 50-%- und 90-%-Intervallen desselben in den Simulationen; ${OUTSIDE}`,
  covariateAbout: `Jede Beobachtung von {name} (Punkte) bei ihrem Wert von {other}, mit 50-%- und 90-%-Intervallen ihrer Simulationen; ${OUTSIDE}`,
  binsAbout: `Der Mittelwert von {name} in jeder von {count} Klassen von {other} (Punkte), mit 50-%- und 90-%-Intervallen desselben in den Simulationen; ${OUTSIDE}`,

  elpdDifferencesTitle: 'Differenzen von elpd_loo zum besten Modell',
  elpdDifferencesAbout:
    'elpd_loo jedes Modells abzüglich des Werts von {best}, mit zwei Standardfehlern zu beiden Seiten: {differences}.',
  pointwiseTitle: 'Differenzen von elpd_loo je Beobachtung',
  pointwiseAbout:
    'elpd_loo jeder von {count} Beobachtungen abzüglich des Werts in {best}: Positive Werte sprechen für die anderen Modelle. Kreuze markieren {high} Werte, bei denen Pareto-k in einem der beiden Modelle hoch ist.',

  reportNoProblem: 'Keine Prüfung fand ein Problem.',
  reportProblems: '{problems} von {checks, plural, one {einer Prüfung} other {{checks} Prüfungen}} nicht bestanden.',
  reportChecks: 'Prüfungen',
  reportOk: 'bestanden',
  reportProblem: 'Problem',
  reportSummary: 'Zusammenfassung',
  reportElements: '{name}, {count} Elemente',
  reportLoo: 'Leave-one-out-Kreuzvalidierung',
  reportEstimate: 'Schätzung',
  reportMcse: 'Monte-Carlo-Standardfehler von elpd_loo: {value}.',
  reportTraces: 'Traceplots',
  reportDensities: 'Dichten',
  reportRanks: 'Ränge',
  reportEcdf: 'ECDF-Differenzen',
  reportAutocorrelation: 'Autokorrelation',
  reportPairs: 'Paare',
  reportSampler: 'Das Verfahren',
  reportLeftOut: 'Ausgelassene Beobachtungen',
  reportPredictive: 'Prädiktive Prüfungen von {name}',
  reportStatistics: 'Kennzahlen von {name}',
} as const;

const QUANTITIES = '{count, plural, one {eine Größe} other {{count} Größen}}';
const OF_QUANTITIES = '{count, plural, one {einer Größe} other {{count} Größen}}';
const UNCONSTRAINED =
  '{count, plural, one {einen untransformierten Parameter} other {{count} untransformierte Parameter}}';
const NAMES = '{names}{more, plural, =0 {} other { und {more} weitere}}';
const DEPTH = 'die maximale Baumtiefe{depth, plural, =0 {} other { von {depth}}}';
const SHARE = '{count} von {draws} Übergängen ({share} %)';
const CHAINS = `{count, plural, one {Kette} other {den Ketten}} ${NAMES}` as const;
const FOUND =
  '{found, select, list {eine Liste} object {ein Objekt} number {eine einzelne Zahl} text {der Text {value}} other {{value}}}';
const BY = '{count, plural, =0 {Daten} other {{names}}}';
const STOPPED = 'Beendet nach {iterations} Iterationen';

export const engine = {
  mustBeFlag: 'muss true oder false sein',
  mustBeOneOf: 'muss einer dieser Werte sein: {choices}',
  mustBeVector: 'muss ein Array endlicher Zahlen sein',
  mustBeRows: 'muss ein Array von Zeilen sein, Arrays endlicher Zahlen von gleicher Länge',
  mustBeInteger: 'muss eine ganze Zahl sein',
  mustBeFinite: 'muss eine endliche Zahl sein',
  mustBeAtLeast: 'muss mindestens {limit} sein',
  mustBeAbove: 'muss größer als {limit} sein',
  mustBeAtMost: 'darf höchstens {limit} sein',
  mustBeBelow: 'muss kleiner als {limit} sein',

  formulaExpected:
    '{found, select, end {Die Formel endet zu früh} other {„{found}“ ist hier nicht gültig}}: Erwartet wird {expected, select, tilde {„~“ nach der Zielgröße, wie in y ~ x} column {der Name einer Spalte} bar {„|“ und eine Spalte mit Gruppen, wie in (1 | g)} close {„)“} backtick {ein schließendes Backtick} other {„+“ oder das Ende der Formel}}.',
  formulaCall:
    '{name}() wird nicht unterstützt: Eine Formel enthält Namen von Spalten, factor(x) für Zahlen, die Kategorien sind, und offset(x) oder offset(log(x)). Ergänzen Sie die Tabelle um eine Spalte mit den umgerechneten Werten.',
  formulaOperator:
    '„{operator}“ wird nicht unterstützt. Weitere Terme folgen auf „+“; „x:z“ ist eine Interaktion, „x*z“ eine Interaktion mit ihren Haupteffekten.',
  formulaNumber: '{number} ist kein Term: 0 entfernt den Achsenabschnitt, 1 behält ihn.',
  formulaGroupsInside:
    'Gruppen können nicht Teil einer Interaktion oder anderer Gruppen sein: Fügen Sie sie mit „+“ hinzu.',
  formulaOffsetInside:
    'Ein Offset kann nicht Teil einer Interaktion oder von Gruppen sein: Fügen Sie ihn mit „+“ hinzu.',
  unknownColumn:
    'Die Tabelle hat keine Spalte „{name}“.{suggestion, select, none {} other { Meinten Sie „{suggestion}“?}}',
  outcomeAsPredictor: 'Die Zielgröße „{name}“ kann nicht auch Prädiktor oder Gruppe sein.',
  outcomeIsText:
    'Die Zielgröße „{name}“ ist Text, aber diese Familie braucht Zahlen.{levels, plural, =2 { Für zwei Werte gibt es die Familie logistisch.} other { Für geordnete Kategorien gibt es die Familie ordinal.}}',
  outcomeNotBinary:
    'Die Zielgröße „{name}“ hat {levels} verschiedene Werte, aber diese Familie braucht zwei, zum Beispiel 0 und 1.',
  outcomeNotCount: 'Die Zielgröße „{name}“ enthält {value}, aber Anzahlen sind ganze Zahlen ab 0.',
  outcomeNotOrdinal:
    'Die Zielgröße „{name}“ hat {levels} verschiedene Werte, aber geordnete Kategorien sind 3 bis {most} ganze Zahlen oder Texte.',
  outcomeIsDate: 'Die Zielgröße „{name}“ ist ein Datum. Verwenden Sie eine Spalte mit Zahlen.',
  emptyColumn:
    'Die Interaktion {name} ist in allen Zeilen gleich, zum Beispiel weil eine Kombination von Kategorien nicht vorkommt. Entfernen Sie die Interaktion.',
  orderDiffers: 'In der Reihenfolge der Kategorien fehlt „{level}“, ein Wert von „{name}“.',
  constantOutcome: 'Die Zielgröße „{name}“ hat in allen Zeilen denselben Wert.',
  constantColumn:
    'Die Spalte „{name}“ hat in allen Zeilen denselben Wert, daher kann ihr Effekt nicht geschätzt werden.',
  offsetNotNumbers: 'Der Offset „{name}“ muss eine Spalte mit Zahlen sein.',
  offsetNotPositive: 'Der Offset „{name}“ enthält {value}, aber Logarithmen brauchen positive Zahlen.',
  offsetIsPredictor:
    'Die Spalte „{name}“ ist ein Offset und auch ein Prädiktor oder eine Gruppe. Verwenden Sie sie einmal.',
  oneGroup:
    'Die Spalte „{name}“ hat nur eine Gruppe. Effekte, die zwischen Gruppen variieren, brauchen mindestens zwei.',
  groupPerRow:
    'Die Spalte „{name}“ hat in jeder Zeile eine andere Gruppe, die sich vom Fehler dieser Familie nicht unterscheiden lässt.',
  notGroups:
    'Die Spalte „{name}“ enthält Zahlen mit Nachkommastellen und bildet keine Gruppen. Verwenden Sie sie als Prädiktor, oder wählen Sie eine Spalte mit Text oder ganzen Zahlen.',
  tooManyLevels:
    'Der Prädiktor „{name}“ hat {levels} Kategorien, mehr als {most}. Verwenden Sie ihn als Gruppen: (1 | {name}).',
  tooFewRows:
    '{rows, plural, =0 {Keine Zeile hat} one {Nur eine Zeile hat} other {Nur {rows} Zeilen haben}} Werte in allen Spalten der Formel.',

  calibrationGood:
    '{all, plural, one {Die Ränge der Größe} other {Die Ränge aller {all} Größen}} sind mit einer Gleichverteilung vereinbar: In {simulations} Anpassungen wurde keine Fehlkalibrierung gefunden.',
  calibrationBad: `Die Ränge {all, plural, one {der Größe} other {von {count} der {all} Größen}} sind nicht gleichverteilt: ${NAMES}. Der Sampler, seine Einstellungen oder das Programm ziehen nicht aus der A-posteriori-Verteilung der Daten.`,
  calibrationDivergent: 'In {count} von {simulations} Anpassungen gibt es divergente Übergänge nach der Aufwärmphase.',

  costData: 'keine: wird beim Laden der Daten berechnet',
  costOnce: 'einmal je Auswertung',
  costSums: 'konstant: Summen über die Zeilen werden beim Laden der Daten berechnet',
  costGroups: `je Gruppe von Zeilen mit gleichen Werten von ${BY}; je Zeile, wenn es mehr als halb so viele Gruppen wie Zeilen gibt`,
  costDistinctRows: `je verschiedener Zeile von ${BY}; je Zeile, wenn sich mehr als die Hälfte der Zeilen unterscheiden`,
  costRows: 'je Zeile',
  costTerms: `je Zeile, mit aufwendigen Termen je verschiedenem Wert von ${BY}`,
  costNoSums: 'keine Summen: {reason}',
  costNotMerged: 'gleiche Zeilen werden nicht zusammengefasst: {reason}',

  fewObservations: 'Es gibt {count} Beobachtungen: Bei weniger als {least} sind die Standardfehler zu klein.',
  unreliableFit:
    '{name}: Das Pareto-k ist bei {count} von {all} Beobachtungen größer als {limit}; {count, plural, one {diese Schätzung ist} other {diese Schätzungen sind}} nicht verlässlich. Siehe die Kreuzvalidierung dieser Anpassung.',
  fewFits: 'Ein Vergleich braucht mindestens zwei Anpassungen.',
  otherCount:
    '{first} hat {known, plural, one {# Beobachtung} other {# Beobachtungen}}, {other} hat {observed, number}. Ein Vergleich braucht dieselben Beobachtungen.',
  otherOutcomes:
    '{first} sagt {known} vorher, {other} dagegen {observed}. Ein Vergleich braucht dieselben Zielgrößen: dieselben Daten mit denselben Namen.',
  otherElements:
    'Beobachtung {place, number} ist {known} in {first}, aber {observed} in {other}. Ein Vergleich braucht dieselben Beobachtungen in derselben Reihenfolge.',
  otherSizes:
    '{variable} hat {known, plural, one {# Zahl} other {# Zahlen}} in {first}, aber {observed, number} in {other}. Ein Vergleich braucht dieselben Beobachtungen.',
  otherValues:
    'Die Zahl {place, number} von {variable} ist {known} in {first}, aber {observed} in {other}. Ein Vergleich braucht dieselben Werte der Zielgrößen in derselben Reihenfolge.',
  smallDifferences: '{names}: Differenzen unter {least} sind klein, und ihre Fehler sind nicht normalverteilt.',

  evidenceGood: 'Die Ketten stimmen überein, und beide Hälften der Ziehungen ergeben dieselbe log-Evidenz.',
  evidenceRhat: `R-hat ist für ${UNCONSTRAINED}, ${NAMES}, größer als {limit}: Die Ketten stimmen nicht überein, und die log-Evidenz kann um mehr als ihren Standardfehler falsch sein. Lassen Sie sie länger laufen.`,
  evidenceEss: `Der effektive Stichprobenumfang ist für ${UNCONSTRAINED}, ${NAMES}, kleiner als {limit}: Der Standardfehler ist nicht verlässlich. Ziehen Sie mehr.`,
  evidenceHalves:
    'Die beiden Hälften der Ziehungen ergeben {first} und {second}, die um mehr als {limit} Standardfehler auseinanderliegen: Den Ziehungen fehlt ein Teil der A-posteriori-Verteilung, oder sie ist weit von einer Normalverteilung entfernt. Ziehen Sie mehr.',
  evidenceError:
    'Der Standardfehler ist größer als {limit}: Die A-posteriori-Verteilung ist weit von einer Normalverteilung entfernt, oder es gibt zu wenige Ziehungen. Ziehen Sie mehr, oder parametrisieren Sie das Modell anders.',
  evidenceRounded:
    'Die log-Dichte des Programms weicht von lp__ der Ziehungen mit einer Standardabweichung von {spread} ab: Die Zahlen der Ziehungen haben zu wenige Stellen. Schreiben Sie Ziehungen mit mehr Stellen (sig_figs).',
  evidenceImproper: `${NAMES}: Ohne eigentliche A-priori-Verteilung hat das Programm keine Evidenz, und Bayes-Faktoren gegenüber Modellen ohne den Parameter sind beliebig. Ergänzen Sie eine A-priori-Verteilung.`,
  evidenceFlat: `${NAMES}: Ohne A-priori-Verteilung ist die Dichte innerhalb der Grenzen 1 und hat nicht das Integral 1. Ergänzen Sie eine A-priori-Verteilung, etwa eine Gleichverteilung.`,
  evidenceCut: `${NAMES}: Die A-priori-Verteilung hat Masse außerhalb der deklarierten Grenzen; innerhalb ist ihr Integral kleiner als 1, und die log-Evidenz ist zu klein. Stutzen Sie die Verteilung, wie in sigma ~ normal(0, 1) T[0, ];`,
  evidenceDoubtful: '{names}: Die Prüfungen der log-Evidenz melden Probleme.',
  evidenceUnmatched:
    '{names}: Die Zielgrößen lassen sich aus dem Programm nicht ableiten. Prüfen Sie, ob alle Modelle dieselben Daten vorhersagen.',

  notAnObject: '{at} muss ein Objekt mit den Einträgen "1", "2", … sein.',
  noMember: '{at} hat keinen Eintrag "{member}".',
  notAList: `{at} ist ${FOUND}, das Programm deklariert aber eine Liste.`,
  otherSize:
    '{at} hat {count, plural, one {{count} Element} other {{count} Elemente}}, das Programm deklariert aber {declared}.',
  notANumber: `{at} ist ${FOUND}, das Programm deklariert aber eine Zahl.`,
  notAnInt: `{at} ist ${FOUND}, das Programm deklariert aber eine ganze Zahl.`,
  notInteger: '{at} ist keine ganze Zahl, das Programm deklariert die Variable aber als int.',
  tooLow: '{at} ist {value}, muss aber mindestens {limit} sein.',
  tooHigh: '{at} ist {value}, darf aber höchstens {limit} sein.',

  noDraws: 'Nicht jede Kette hat Ziehungen nach der Aufwärmphase: Es lässt sich nichts beurteilen.',
  tooFew:
    'Es gibt {draws, plural, one {nur eine Ziehung} other {nur {draws} Ziehungen}} je Kette, zu wenige für ein Urteil: R-hat und effektive Stichprobenumfänge erfordern mindestens {least}, und Hunderte, um verlässlich zu sein. Ziehen Sie mehr mit einem Sampler.',
  notFinite: `Ziehungen von ${OF_QUANTITIES}, ${NAMES}, sind NaN oder unendlich und lassen sich nicht beurteilen. Prüfen Sie, wie das Programm sie berechnet.`,
  stuck: `Jede Kette hat einen eigenen Wert für ${QUANTITIES}, ${NAMES}, und verlässt ihn nie: Der Sampler bewegt sich nicht. Verringern Sie die Schrittweite, oder lassen Sie sie in einer längeren Aufwärmphase anpassen; prüfen Sie die Startwerte; wenn andere Größen sich bewegen, hat die A-posteriori-Verteilung vielleicht mehrere Modi.`,
  allTheSame:
    'Alle Ziehungen sind gleich, auch die logarithmierte Dichte: Der Sampler bewegt sich nicht, oder nichts im Modell ist zufällig. Verringern Sie die Schrittweite, oder lassen Sie sie in einer längeren Aufwärmphase anpassen, und prüfen Sie die Startwerte.',
  theSame: `Alle Ziehungen von ${OF_QUANTITIES}, ${NAMES}, sind gleich: Es gibt nichts zu beurteilen.`,
  noDivergence: 'Kein Übergang ist divergent.',
  divergences: `${SHARE} sind divergent: Der Sampler konnte der Krümmung der A-posteriori-Verteilung nicht folgen, und wo sie am stärksten ist, fehlen Ziehungen. Erhöhen Sie delta in Richtung 1 (0.95, 0.99); hilft das nicht, parametrisieren Sie das Modell um (nicht zentrierte hierarchische Skalen), oder geben Sie ihm informativere A-priori-Verteilungen.`,
  noTreedepth: `Kein Übergang hat ${DEPTH} erreicht.`,
  treedepth: `${SHARE} haben ${DEPTH} erreicht: Trajektorien enden, bevor sie umkehren. Das macht das Ziehen langsam, aber nicht falsch. Erhöhen Sie max_depth, oder skalieren oder parametrisieren Sie das Modell so um, dass seine Parameter ähnliche Skalen haben und wenig korrelieren.`,
  energyGood: 'E-BFMI ist gut: mindestens {limit} in jeder Kette.',
  energyUnknown: `E-BFMI lässt sich in ${CHAINS} nicht berechnen: Die Energien sind dort nicht endlich oder alle gleich.`,
  energyLow: `E-BFMI liegt unter {limit} in ${CHAINS}: Die Energie ändert sich von Ziehung zu Ziehung zu wenig, um die Ränder der A-posteriori-Verteilung zu erreichen. Parametrisieren Sie das Modell um; auch eine längere Aufwärmphase kann helfen.`,
  rhatGood: 'Das rangnormierte R-hat geteilter Ketten ist gut: höchstens {limit} für jede Größe, die variiert.',
  rhatHigh: `Das rangnormierte R-hat geteilter Ketten liegt über {limit} für ${QUANTITIES}, ${NAMES}: Die Ketten stimmen noch nicht überein. Lassen Sie sie länger laufen; bleibt R-hat groß, suchen Sie nach mehreren Modi oder nach Parametern, die sich mit den Daten nicht unterscheiden lassen.`,
  rhatSeparated: `Jede Kette hat für ${QUANTITIES}, ${NAMES}, für sich konvergiert, aber gegen verschiedene Werte: Die A-posteriori-Verteilung hat wahrscheinlich mehrere Modi. Ziehen Sie mit der Funktion tempered, die zwischen Modi wechselt.`,
  rhatUnknown: `Es ist nicht definiert für ${QUANTITIES}, ${NAMES}, deren Ziehungen alle gleich weit vom Median entfernt sind.`,
  essGood:
    'Die effektiven Stichprobenumfänge sind gut: mindestens {limit}, {each} je Kette, für jede Größe, die variiert.',
  essLow: `Der effektive Stichprobenumfang von Mitte oder Rändern liegt unter {limit}, {each} je Kette, für ${QUANTITIES}, ${NAMES}: Ihre Mittelwerte und Quantile sind nicht verlässlich. Ziehen Sie mehr, oder parametrisieren Sie das Modell so um, dass die Ziehungen weniger korrelieren.`,
  essUntailed: `Für ${QUANTITIES}, ${NAMES}, wurde nur die Mitte beurteilt: Zu viele Ziehungen sind gleich dem Minimum oder Maximum, um einen effektiven Stichprobenumfang der Ränder zu berechnen.`,
  generatedNotFinite: '{quantity}: {count} von {draws} Ziehungen sind NaN oder unendlich.',
  generatedMore:
    '{count, plural, one {Bei einer weiteren Größe} other {Bei {count} weiteren Größen}} sind Ziehungen NaN oder unendlich.',
  generatedAdvice: 'Prüfen Sie, wie das Programm diese Werte berechnet.',
  simulations:
    '{count, plural, one {Eine Simulation} other {{count} Simulationen}}: Kein Parameter wird gezogen, daher gibt es keine Konvergenz zu beurteilen.',

  causeWithoutPrior: `Die Ketten stimmen bei ${NAMES} nicht überein, und das Programm hat dafür keine A-priori-Verteilung. Ergänzen Sie {count, plural, one {eine A-priori-Verteilung} other {A-priori-Verteilungen}} im Bereich plausibler Werte.`,
  causeCorrelated:
    'Die Korrelation von {first} und {second} ist {value}: Die Daten bestimmen eine Kombination von beiden, aber nicht jede einzeln. Entfernen Sie eine der beiden Größen, ergänzen Sie eine Bedingung wie die Summe null, oder geben Sie beiden informative A-priori-Verteilungen.',

  looGood: 'Alle Pareto-k sind höchstens {limit}: Die Schätzungen sind verlässlich.',
  looHigh: `Pareto-k liegt über {limit} für {count} von {all} Beobachtungen, ${NAMES}: Ohne sie ist die A-posteriori-Verteilung eine andere, und die Schätzungen sind zu günstig. Sehen Sie sich diese Beobachtungen an, lassen Sie das Modell solche erwarten, oder passen Sie es ohne jede von ihnen neu an.`,
  looUnknown: `Pareto-k lässt sich für {count} von {all} Beobachtungen nicht schätzen, ${NAMES}: Es gibt zu wenige Ziehungen, oder zu viele sind gleich.`,

  looRefitted: `{count, plural, one {1 von {all} Beobachtungen wurde} other {{count} von {all} Beobachtungen wurden}} durch neue Anpassungen ausgelassen: ${NAMES}.`,
  refitsGood:
    '{all, plural, one {R-hat der neuen Anpassung ist höchstens {limit}: Ihre Ketten stimmen überein.} other {R-hat ist in allen {all} neuen Anpassungen höchstens {limit}: Ihre Ketten stimmen überein.}}',
  refitsHigh: `R-hat liegt in {count} von {all} neuen Anpassungen über {limit}, ${NAMES}: Ihre Ketten stimmen nicht überein. Nehmen Sie mehr Iterationen.`,
  refitsDivergent: 'In {count} von {all} neuen Anpassungen gibt es divergente Übergänge nach der Aufwärmphase.',

  outlookRhat: 'R-hat {value} ({name})',
  outlookEss: 'ESS {value} ({name})',
  outlookShortfall: '{statistic} {value} von {limit} ({name})',
  outlookUnknown: '{statistic} unbekannt von {limit} ({name})',
  outlookDivergent: '{count} divergent',
  outlookLeft: 'noch etwa {duration}',
  outlookTarget: 'noch etwa {duration} bis zum Ziel',

  stoppedPrecise: `${STOPPED}: Die Ziehungen sind so genau wie verlangt.`,
  stoppedAbove: `${STOPPED}: max_iterations ist erreicht. {statistic} von {quantity} ist {value}; verlangt ist höchstens {limit}.`,
  stoppedBelow: `${STOPPED}: max_iterations ist erreicht. {statistic} von {quantity} ist {value}; verlangt ist mindestens {limit}.`,
  stoppedUnknown: `${STOPPED}: max_iterations ist erreicht. {statistic} von {quantity} lässt sich nicht berechnen; verlangt ist {limit}.`,
} as const;

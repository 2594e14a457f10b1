/** Erklärungen der Fachbegriffe. Einen Satz, der fehlt (`undefined`), zeigt die Seite auf Englisch. */
import type { TranslatedExplanations } from '../types.js';

export const terms: TranslatedExplanations = {
  rhat: [
    'R-hat vergleicht die Streuung aller Ziehungen mit der Streuung innerhalb der einzelnen Ketten, wobei Ränge die Ziehungen ersetzen.',
    'Ein Wert nahe 1 bedeutet, dass die Ketten dieselbe Verteilung beschreiben; über 1,01 tun sie das noch nicht.',
    'Längere Ketten helfen, oder eine andere Parametrisierung, wenn einige Ketten Bereiche besuchen, die andere nicht erreichen.',
  ],
  ess: [
    'Der effektive Stichprobenumfang ist die Anzahl unabhängiger Ziehungen, die so informativ wären wie diese voneinander abhängigen Ziehungen.',
    '„bulk“ bezieht sich auf die Mitte der Verteilung, „tail“ auf ihre Quantile bei 5 % und 95 %.',
    'Ab etwa 100 effektiven Ziehungen je Kette sind die Schätzungen verlässlich.',
  ],
  mcse: [
    'Der Monte-Carlo-Standardfehler ist die Unsicherheit einer Schätzung, die daher kommt, dass die Zahl der Ziehungen endlich ist.',
    'Beim Mittelwert ist er die Standardabweichung geteilt durch die Wurzel des effektiven Stichprobenumfangs: Viermal so viele Ziehungen halbieren ihn.',
    'Er misst nicht, wie unsicher die Größe selbst ist; das tut die Standardabweichung (sd).',
  ],
  divergence: [
    'Ein Übergang divergiert, wenn die simulierte Trajektorie von der exakten abweicht, weil die A-posteriori-Verteilung für die Schrittweite zu stark gekrümmt ist.',
    'Dann fehlen Ziehungen aus diesem Bereich, und Schätzungen können verzerrt sein.',
    'Oft hilft die automatische Umparametrisierung, oder eine kleinere Schrittweite durch ein größeres delta.',
  ],
  treeDepth: [
    'NUTS verdoppelt eine Trajektorie, bis sie umkehrt; die Baumtiefe ist die Anzahl der Verdopplungen.',
    'Trajektorien, die das Maximum erreichen, werden abgeschnitten: Die Ziehungen sind gültig, hängen aber stärker voneinander ab.',
    'Skalieren Sie die Parameter um, oder parametrisieren Sie das Modell anders; ein größeres max_depth hilft nur, wenn das nicht geht.',
  ],
  ebfmi: [
    'E-BFMI vergleicht die Änderungen der Energie zwischen den Ziehungen mit ihrer gesamten Streuung.',
    'Unter 0,3 wechselt eine Kette zu langsam zwischen den Energien und verfehlt vielleicht die Ränder der Verteilung.',
    'Eine andere Parametrisierung hilft, oder eine längere Aufwärmphase.',
  ],
  loo: [
    'Die Leave-one-out-Kreuzvalidierung misst, wie gut das Modell jede Beobachtung aus allen anderen vorhersagt.',
    'Sie gewichtet die Ziehungen durch Importance Sampling um, statt das Modell für jede Beobachtung neu anzupassen.',
    'Mit ihr lassen sich Modelle derselben Beobachtungen vergleichen.',
  ],
  elpd: [
    'elpd_loo ist die Summe der logarithmierten Dichten, die das Modell für die Beobachtungen vorhersagt, wenn jede einmal ausgelassen wird.',
    'Größer ist besser, aber nur Unterschiede zwischen Modellen derselben Beobachtungen haben eine Bedeutung.',
    'Ein Unterschied (elpd_diff) unter 4, oder unter etwa zwei seiner Standardfehler (se_diff), trennt zwei Modelle nicht.',
  ],
  paretoK: [
    'Pareto-k misst, wie stark sich die A-posteriori-Verteilung ändert, wenn eine Beobachtung ausgelassen wird.',
    'Über 0,7 ist die Schätzung dieser Beobachtung durch Importance Sampling nicht verlässlich.',
    'Passen Sie das Modell ohne diese Beobachtungen an, oder suchen Sie nach Ausreißern, die schwerere Ränder erfordern.',
  ],
  pLoo: [
    'p_loo ist die effektive Anzahl der Parameter: um wie viel besser das Modell die Beobachtungen beschreibt, als es sie vorhersagt, wenn sie ausgelassen werden.',
    'Beschreibt das Modell die Daten gut, ist p_loo kleiner als die Anzahl der Parameter und die der Beobachtungen.',
    'Ein größerer Wert weist auf Beobachtungen hin, die das Modell nicht erwartet.',
  ],
  stacking: [
    'Stacking-Gewichte verbinden die Vorhersagen der Modelle so, dass die Mischung ausgelassene Beobachtungen möglichst gut vorhersagt.',
    'Die Gewichte sind mindestens 0, und ihre Summe ist 1.',
    'Ein Gewicht ist nicht die Wahrscheinlichkeit eines Modells: Von zwei Modellen mit denselben Vorhersagen kann eines das ganze Gewicht erhalten.',
  ],
  sbc: [
    'Die simulationsbasierte Kalibrierung zieht Parameter aus der A-priori-Verteilung, simuliert damit Daten und passt das Modell an jeden simulierten Datensatz an.',
    'Sind Programm und Sampler richtig, so sind alle Ränge des wahren Werts unter seinen A-posteriori-Ziehungen gleich wahrscheinlich.',
    'Gefälle, Buckel und Täler im Histogramm der Ränge zeigen einen Fehler.',
  ],
  priorPredictive: [
    'Eine A-priori-Vorhersageprüfung vergleicht die Daten mit Simulationen aus der A-priori-Verteilung, bevor das Modell eine Beobachtung verwendet hat.',
    'Die Simulationen sollen alle plausiblen Daten enthalten und kaum unmögliche.',
    'Ist das nicht so, ändern Sie die Priors.',
  ],
  interval: [
    'Das 90-%-Intervall ist ein Quantilsintervall: Je 5 % der Ziehungen liegen darunter und darüber.',
    'Das Intervall höchster Dichte (HDI) ist das kürzeste mit derselben Wahrscheinlichkeit; bei einer schiefen Verteilung liegt es näher am Gipfel.',
    'Diese Seite zeigt Quantilsintervalle, deren Bedeutung sich nicht ändert, wenn ein Parameter transformiert wird.',
  ],
  lp: [
    'lp__ ist der Logarithmus der A-posteriori-Dichte einer Ziehung, bis auf eine Konstante, auf der unbeschränkten Skala des Samplers.',
    'Nur seine Unterschiede innerhalb eines Programms haben eine Bedeutung.',
    'Driftet sein Verlauf, so sind die Ketten nicht konvergiert.',
  ],
  warmup: [
    'In der Aufwärmphase bewegt sich eine Kette in den Bereich hoher A-posteriori-Wahrscheinlichkeit, und der Sampler passt Schrittweite und Metrik an.',
    'Diese Iterationen sind keine Ziehungen aus der A-posteriori-Verteilung: Alle Ergebnisse lassen sie weg.',
    'Stimmen die Ketten nicht überein, kann eine längere Aufwärmphase helfen.',
  ],
  chain: [
    'Eine Kette ist eine Folge von Ziehungen, von denen jede aus der vorigen entsteht.',
    'Mehrere Ketten beginnen an verschiedenen Stellen: Stimmen ihre Ziehungen überein, hat der Anfang keinen Einfluss mehr.',
    'Alle Ketten zusammen bilden das Ergebnis.',
  ],
  bayesFactor: [
    'Ein Bayes-Faktor ist das Verhältnis der Wahrscheinlichkeiten, die zwei Modelle den Daten gaben, bevor sie sie kannten.',
    'Er hängt von den Priors der Parameter ab, auch wenn diese die A-posteriori-Verteilung kaum ändern.',
    'Mit dem A-priori-Verhältnis der Modelle multipliziert, ergibt er ihr A-posteriori-Verhältnis; die Tabelle zeigt seinen Logarithmus.',
  ],
};

/** Descriptions of functions and their arguments. */
import type { Descriptions } from '../types.js';

/** One text for the same argument of several functions. */
function of(functions: readonly string[], argument: string, text: string): Record<string, string> {
  return Object.fromEntries(functions.map((name) => [`${name}.${argument}`, text]));
}

/** Both forms of a sampler, with and without adaptation. */
function samplers(names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `${name}_adapt`]);
}

const METHODS = { nuts: 'No-U-Turn-Sampler', static: 'Hamiltonian Monte Carlo mit Trajektorien fester Länge' } as const;
const METRICS = {
  unit_e: 'euklidischer Einheitsmetrik',
  diag_e: 'diagonaler euklidischer Metrik',
  dense_e: 'voller euklidischer Metrik',
  low_rank: 'euklidischer Metrik aus einer Diagonale und einem Teil von niedrigem Rang',
} as const;

const hamiltonian = Object.fromEntries(
  Object.entries(METHODS).flatMap(([kind, method]) =>
    Object.entries(METRICS).flatMap(([metric, words]) => {
      const adapted =
        metric === 'unit_e'
          ? 'die Schrittweite wird in der Aufwärmphase angepasst'
          : 'Schrittweite und Metrik werden in der Aufwärmphase angepasst';
      return [
        [`hmc_${kind}_${metric}`, `${method} mit ${words}; nichts wird angepasst.`],
        [`hmc_${kind}_${metric}_adapt`, `${method} mit ${words}; ${adapted}.`],
      ];
    }),
  ),
);

export const descriptions: Descriptions = {
  functions: {
    ...hamiltonian,
    recommended:
      'Der empfohlene Sampler: No-U-Turn-Sampler mit einer Metrik aus einer Diagonale und einem Teil von niedrigem Rang, gelernten Koordinaten und einer kurzen Aufwärmphase, die bei typischen Ziehungen beginnt.',
    tempered:
      'Nicht umkehrbares paralleles Tempern, für A-posteriori-Verteilungen mit mehreren Modi: Ketten des No-U-Turn-Samplers bei inversen Temperaturen zwischen einer Referenzverteilung und der A-posteriori-Verteilung tauschen ihre Positionen. Jede Kette hat ihre eigenen Temperaturen.',
    fixed_param: 'Lässt die Parameter bei ihren Startwerten und zieht in jeder Iteration die generated quantities neu.',
    lbfgs: 'Steigt mit Quasi-Newton-Schritten von begrenztem Speicher (L-BFGS) zu einem Modus der Dichte.',
    bfgs: 'Steigt mit Quasi-Newton-Schritten (BFGS) zu einem Modus der Dichte.',
    newton:
      'Steigt mit dem Newton-Verfahren zu einem Modus der Dichte; zweite Ableitungen sind exakt, oder Differenzen von Gradienten, wo sie sich nicht kompilieren lassen.',
    laplace_sample:
      'Zieht aus der Laplace-Approximation: einer Normalverteilung mit Modus und Krümmung der Dichte, die exakt ist, oder aus Differenzen von Gradienten, wo sie sich nicht kompilieren lässt.',
    meanfield:
      'Variationsverfahren mit automatischer Differentiation: passt den unbeschränkten Parametern unabhängige Normalverteilungen an.',
    fullrank:
      'Variationsverfahren mit automatischer Differentiation: passt den unbeschränkten Parametern eine multivariate Normalverteilung an.',
    pathfinder_lbfgs_single: 'Zieht aus der besten Normalapproximation entlang des Pfades eines Optimierers.',
    pathfinder_lbfgs_multi:
      'Zieht aus den besten Normalapproximationen mehrerer Pfade, die nach ihrer Wichtigkeit neu gezogen werden.',
    standalone_generate: 'Berechnet die generated quantities für Ziehungen einer früheren Anpassung oder der Anfrage.',
    diagnose: 'Vergleicht den Gradienten der logarithmierten Dichte mit finiten Differenzen.',
  },
  arguments: {
    random_seed: 'Seed der Zufallszahlen; ohne Angabe zufällig gezogen und aufgezeichnet.',
    chain: 'Nummer der Kette: Ketten mit gleichem Seed und verschiedenen Nummern sind unabhängig.',
    init_radius: 'Parameter ohne Startwert beginnen gleichverteilt in (-radius, radius) auf der unbeschränkten Skala.',
    refresh: 'Iterationen zwischen zwei Meldungen des Fortschritts; 0 für keine.',
    num_samples: 'Iterationen nach der Aufwärmphase.',
    num_thin: 'Jede wievielte Iteration gespeichert wird.',
    num_warmup:
      'Iterationen der Aufwärmphase, in der Schrittweite und Metrik angepasst werden, wenn die Funktion sie anpasst.',
    save_warmup: 'Ob auch die Ziehungen der Aufwärmphase gespeichert werden.',
    stepsize: 'Schrittweite, oder wo die Suche nach einer beginnt.',
    stepsize_jitter:
      'Jeder Übergang verwendet die Schrittweite mal eine gleichverteilte Zahl von 1 - jitter bis 1 + jitter; bei 0 und 1 unverändert.',
    max_depth: 'Eine Trajektorie hat höchstens 2^max_depth - 1 Leapfrog-Schritte.',
    delta:
      'Angestrebter Mittelwert der Akzeptanzstatistik bei der Anpassung der Schrittweite; wird in der Aufwärmphase erhöht, wenn Übergänge divergieren und die Metrik aus Gradienten gelernt wird.',
    gamma: 'Regularisierungsskala der Anpassung der Schrittweite.',
    kappa: 'Relaxationsexponent der Anpassung der Schrittweite.',
    t0: 'Iterationsversatz der Anpassung der Schrittweite.',
    max_temperatures:
      'Größte Zahl von Temperaturen, einschließlich derer der Referenz und der A-posteriori-Verteilung; die Aufwärmphase wählt die Zahl nach der Häufigkeit, mit der Tausche abgelehnt werden.',
    num_chains: 'Zahl der Ketten, mit Nummern ab `chain` und demselben Seed.',
    ...of(
      samplers(['hmc_nuts_diag_e', 'hmc_static_diag_e']),
      'inv_metric',
      'Inverse Metrik zu Beginn: eine Varianz je unbeschränktem Parameter; ohne Angabe alle 1.',
    ),
    ...of(
      samplers(['hmc_nuts_dense_e', 'hmc_static_dense_e']),
      'inv_metric',
      'Inverse Metrik zu Beginn: die Kovarianzmatrix der unbeschränkten Parameter, Zeile für Zeile; ohne Angabe die Einheitsmatrix.',
    ),
    ...of(
      [...samplers(['hmc_nuts_low_rank']), 'recommended'],
      'inv_metric',
      'Inverse Metrik zu Beginn: eine Zeile mit der Diagonale, dann eine Zeile je Richtung, ein Eigenvektor der Metrik in skalierten Koordinaten mal seinem Eigenwert; ohne Angabe die Einheitsmatrix.',
    ),
    init_buffer: 'Erste Iterationen der Aufwärmphase, in denen nur die Schrittweite angepasst wird.',
    term_buffer: 'Letzte Iterationen der Aufwärmphase, in denen nur die Schrittweite angepasst wird.',
    window: 'Länge des ersten Fensters, in dem die Metrik angepasst wird; jedes weitere ist doppelt so lang.',
    adapt_metric:
      'Woraus die Metrik gelernt wird: aus den Varianzen der Positionen wie in Stan, oder aus Positionen und Gradienten (nicht in Stan).',
    reparameterize:
      'Ob Parameter, deren A-priori-Verteilung Lage und Skala hat, wie `theta ~ normal(mu, tau)`, in Koordinaten zwischen zentrierten und nicht zentrierten gezogen werden, die in der Aufwärmphase gelernt werden (nicht in Stan). Die A-posteriori-Verteilung ist dieselbe.',
    integrate:
      'Ob Parameter, die gegeben die anderen normalverteilt sind, wie die Effekte linearer gemischter Modelle, ausintegriert werden: Nur die anderen werden gezogen, und diese Parameter aus ihrer bedingten Verteilung (nicht in Stan). Die A-posteriori-Verteilung ist dieselbe.',
    threads_per_chain:
      'Größte Zahl von Threads, die die Log-Dichte einer Kette berechnen, in Teilen der Zeilen ihrer Daten (nicht in Stan). Die Ergebnisse sind für jede Zahl dieselben; ohne Angabe können sie sich in den letzten Stellen unterscheiden, weil die Dichte dann eine einzige Summe ist.',
    int_time: 'Integrationszeit einer Trajektorie: die Zahl ihrer Leapfrog-Schritte mal deren Größe.',
    iter: 'Größte Zahl von Iterationen.',
    save_iterations: 'Ob jede Iteration gespeichert wird.',
    ...of(
      ['lbfgs', 'bfgs', 'newton'],
      'jacobian',
      'Ob die Jacobi-Determinanten der Transformationen zählen: der Modus der unbeschränkten statt der beschränkten Parameter.',
    ),
    ...of(
      ['laplace_sample'],
      'jacobian',
      'Ob die Dichte die Jacobi-Determinanten der Transformationen enthält, wie bei der Suche nach dem Modus.',
    ),
    init_alpha: 'Schritt der Liniensuche in der ersten Iteration.',
    tol_obj: 'Konvergiert, wenn sich die Zielfunktion um weniger ändert.',
    ...of(
      ['lbfgs', 'bfgs', 'pathfinder_lbfgs_single', 'pathfinder_lbfgs_multi'],
      'tol_rel_obj',
      'Konvergiert, wenn sich die Zielfunktion im Verhältnis zu ihr selbst um weniger ändert, in Einheiten der Maschinengenauigkeit.',
    ),
    ...of(
      ['meanfield', 'fullrank'],
      'tol_rel_obj',
      'Konvergiert, wenn Mittelwert oder Median der relativen Änderung der ELBO kleiner ist.',
    ),
    tol_grad: 'Konvergiert, wenn der Gradient kürzer ist.',
    tol_rel_grad:
      'Konvergiert, wenn der Gradient eine kleinere Abnahme im Verhältnis zur Zielfunktion verspricht, in Einheiten der Maschinengenauigkeit.',
    tol_param: 'Konvergiert, wenn sich die Parameter um weniger bewegen.',
    history_size: 'Zahl der Schritte, die L-BFGS berücksichtigt.',
    draws: 'Zahl der Ziehungen.',
    ...of(
      ['laplace_sample'],
      'calculate_lp',
      'Ob die logarithmierte Dichte jeder Ziehung berechnet wird; sonst ist sie NaN.',
    ),
    ...of(
      ['pathfinder_lbfgs_single', 'pathfinder_lbfgs_multi'],
      'calculate_lp',
      'Ob die logarithmierte Dichte jeder Ziehung berechnet wird; sonst ist sie NaN, und es wird nicht nach Wichtigkeit neu gezogen.',
    ),
    grad_samples: 'Ziehungen für jeden Gradienten.',
    elbo_samples: 'Ziehungen für jeden Wert der ELBO.',
    eval_elbo: 'Iterationen zwischen zwei Werten der ELBO.',
    output_samples: 'Zahl der Ziehungen der Approximation, die gespeichert werden.',
    eta: 'Skala der Schritte, wenn sie nicht angepasst wird.',
    adapt_engaged: 'Ob die Skala der Schritte angepasst wird.',
    adapt_iterations: 'Iterationen für jede Skala, die bei der Anpassung versucht wird.',
    max_lbfgs_iters: 'Größte Zahl von Iterationen von L-BFGS.',
    num_draws: 'Ziehungen aus der besten Approximation eines Pfades.',
    num_elbo_draws: 'Ziehungen für jeden Wert der ELBO.',
    num_paths: 'Zahl der Pfade, jeder von einem eigenen Startpunkt.',
    num_psis_draws: 'Zahl der Ziehungen aller Pfade, die gespeichert werden.',
    psis_resample:
      'Ob die Ziehungen nach Pareto-geglätteten Wichtigkeiten neu gezogen werden; sonst werden alle gespeichert.',
    epsilon: 'Abstand der Differenzen.',
    error: 'Differenz, ab der ein Element des Gradienten als falsch gilt.',
  },
};

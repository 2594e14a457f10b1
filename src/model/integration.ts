/** Parameters of a model that are not part of its position. `writeArray` draws them from their distribution given the position. */
export interface ModelIntegration {
  /** Names of these parameters; may be empty. */
  readonly integrated: readonly string[];
  /** All other parameters, each with the reason as the end of a sentence. */
  readonly sampled: readonly { readonly name: string; readonly reason: string }[];
  /** The log density of the program at the latest draw minus the marginal log density of the position. */
  excess(): number;
}

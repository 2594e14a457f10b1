/** The log density is not quadratic in the parameters, with a reason as the end of a sentence about them. */
export class NotQuadratic extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

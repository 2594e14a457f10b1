/** An error that ends an executable, with CmdStan's message for the user. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

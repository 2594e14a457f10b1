/** An error that ends an executable, with CmdStan's message. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

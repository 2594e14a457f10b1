/** What ends an executable: its message is for the user, as CmdStan says it. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

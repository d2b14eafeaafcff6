/** Why a run is stopped whose time is over. */
export class TimedOut extends Error {
  constructor(timeoutMs: number | undefined) {
    super(`It took longer than ${timeoutMs ?? '?'} ms.`)
    this.name = 'TimedOut'
  }
}

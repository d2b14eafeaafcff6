export interface Echoes {
  report(text: string): void
  /** Whether the text is one that was reported: then nobody else wrote it, and more may have been typed since. */
  take(text: string): boolean
}

/** What an editor has told of and not yet heard back: what is typed comes back a moment later as what is to be shown. */
export function createEchoes(): Echoes {
  let reported: string[] = []
  return {
    report: (text) => void reported.push(text),
    take(text) {
      const place = reported.lastIndexOf(text)
      // one from elsewhere makes all that was told before it void
      reported = place < 0 ? [] : reported.slice(place + 1)
      return place >= 0
    },
  }
}

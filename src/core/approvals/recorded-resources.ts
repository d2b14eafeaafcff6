// a row of the audit stays small, and counts what it leaves out
const maxRecorded = 20
const maxRecordedLength = 1_000

/** What was touched, for the audit. */
export const recordedResources = (resources: readonly string[]) => ({
  resources: resources.slice(0, maxRecorded).map(shorten),
  ...(resources.length > maxRecorded && { moreResources: resources.length - maxRecorded }),
})

const shorten = (text: string) =>
  text.length <= maxRecordedLength
    ? text
    : `${text.slice(0, maxRecordedLength).toWellFormed()}… (${text.length - maxRecordedLength} more characters)`

/** What one file may ask for; the settings `imports.*`. */
export interface ImportLimits {
  /** Of the file itself. */
  fileBytes: number
  /** Of all that is read out of an archive, which a small file can multiply. */
  unpackedBytes: number
  /** Names in an archive. */
  entries: number
  /** Of one conversation as it stands in the file, and of all of its images. */
  conversationBytes: number
  /** Of one image or other file. */
  assetBytes: number
  /** Branches of one conversation; each becomes a session. */
  branches: number
  /** Messages of all branches of one conversation together. */
  messages: number
  /** JSON values of one conversation. */
  values: number
  /** Nesting of JSON. */
  depth: number
  /** Heap of the thread that reads, in MiB. */
  heapMb: number
}

const mib = 1_048_576

export const defaultImportLimits: ImportLimits = {
  fileBytes: 2_048 * mib,
  unpackedBytes: 8_192 * mib,
  entries: 200_000,
  conversationBytes: 64 * mib,
  assetBytes: 20 * mib,
  branches: 500,
  messages: 200_000,
  values: 2_000_000,
  depth: 10_000,
  heapMb: 1_024,
}

export interface ServerLimits {
  /** Of the largest bodies: imports, files, long texts. */
  bodyBytes: number
  /** Of all others. Default 1 MiB. */
  jsonBytes?: number
  jsonDepth: number
  /** Values in one body. Default 75,000. */
  jsonValues?: number
  pageSize: number
}

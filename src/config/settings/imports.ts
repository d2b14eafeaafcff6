import { setting } from '../../core/settings/setting.ts'
import { wholeNumber } from '../../core/settings/values.ts'
import { defaultImportLimits as limits } from '../../core/protocol/import-limits.ts'

/** What a file of conversations may ask for. */
export const importSettings = {
  'imports.fileBytes': setting(wholeNumber(1_024, 1_099_511_627_776), {
    description: 'Largest file whose conversations are imported, in bytes.',
    default: limits.fileBytes,
  }),
  'imports.unpackedBytes': setting(wholeNumber(1_024, 17_592_186_044_416), {
    description: 'Maximum bytes that are read out of one archive: what it unpacks to, read twice.',
    default: limits.unpackedBytes,
  }),
  'imports.entries': setting(wholeNumber(1, 10_000_000), {
    description: 'Maximum number of files in one archive.',
    default: limits.entries,
  }),
  'imports.conversationBytes': setting(wholeNumber(1_024, 1_073_741_824), {
    description: 'Largest conversation in a file, in bytes, and largest sum of its images.',
    default: limits.conversationBytes,
  }),
  'imports.assetBytes': setting(wholeNumber(1, 1_073_741_824), {
    description:
      'Largest image or other file of a conversation in an archive, in bytes; larger ones are named only.',
    default: limits.assetBytes,
  }),
  'imports.branches': setting(wholeNumber(1, 100_000), {
    description: 'Maximum number of branches of one conversation; each becomes a session.',
    default: limits.branches,
  }),
  'imports.messages': setting(wholeNumber(1, 100_000_000), {
    description: 'Maximum number of messages of all branches of one conversation together.',
    default: limits.messages,
  }),
  'imports.values': setting(wholeNumber(1_000, 100_000_000), {
    description: 'Maximum number of JSON values in one conversation of a file.',
    default: limits.values,
  }),
  'imports.depth': setting(wholeNumber(4, 100_000), {
    description: 'Deepest nesting of JSON in a file of conversations.',
    default: limits.depth,
  }),
  'imports.heapMb': setting(wholeNumber(256, 65_536), {
    description:
      'Heap of the thread that reads such a file, in MiB; at least 16 times `imports.conversationBytes`.',
    default: limits.heapMb,
  }),
}

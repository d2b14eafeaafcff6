import { getSystemErrorMap } from 'node:util'
import type { ErrorCode } from '../protocol/error.ts'

/** What the system refused: a file, a folder, an address, a disk. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'

// the name on the command line is the cause
const wrongNames: ReadonlySet<string> = new Set(
  'ENOENT ENOTDIR EISDIR EACCES EPERM EEXIST ENOTEMPTY ELOOP ENAMETOOLONG EROFS EADDRINUSE EADDRNOTAVAIL'.split(
    ' ',
  ),
)
const fullDisk = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** One sentence with the file or the address, and the code of an error that machines know. */
export function describeSystemError(error: NodeJS.ErrnoException): { code: ErrorCode; message: string } {
  const { code = '', errno = 0, syscall } = error
  const { path, dest, address, port } = error as {
    path?: string
    dest?: string
    address?: string
    port?: number
  }
  const [, reason = error.message] = getSystemErrorMap().get(errno) ?? []
  const thing = path ?? (address === undefined ? undefined : [address, port].filter(Boolean).join(':'))
  const name = dest === undefined ? thing : `${thing} to ${dest}`
  return {
    code: fullDisk.has(code) ? 'storage_full' : wrongNames.has(code) ? 'invalid_request' : 'internal',
    message: `${name === undefined ? '' : `${name}: `}${reason} (${code}${syscall ? `, ${syscall}` : ''}).`,
  }
}

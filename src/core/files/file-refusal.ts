/**
 * Why a file was not read. `linked`: it has a second name, which may lie elsewhere. `denied`: a rule forbids it, or wants
 * a person asked about this very file.
 */
export type Refusal = 'absent' | 'outside' | 'denied' | 'folder' | 'special' | 'linked' | 'unreadable'

/** Why nothing was changed. `filled`: a folder that is not empty. */
export type ChangeRefusal = Refusal | 'exists' | 'filled' | 'full' | 'other-device'

export class RefusalError extends Error {
  readonly refusal: ChangeRefusal
  constructor(refusal: ChangeRefusal) {
    super(refusal)
    this.refusal = refusal
  }
}

/** Does the work, and makes a value of what it was refused for. What is no matter of files is thrown on. */
export async function refuse<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
  const result = await refuseChange(work)
  return result as Result | Refusal
}

export async function refuseChange<Result>(work: () => Promise<Result>): Promise<Result | ChangeRefusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return refusalByCode[code] ?? 'unreadable'
  }
}

const refusalByCode: Record<string, ChangeRefusal> = {
  ENOENT: 'absent',
  ENOTDIR: 'absent',
  ELOOP: 'absent',
  ENAMETOOLONG: 'absent',
  EISDIR: 'folder',
  ENXIO: 'special',
  EEXIST: 'exists',
  ENOTEMPTY: 'filled',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EXDEV: 'other-device',
}

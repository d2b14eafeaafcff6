/** What a check found. */
export interface Finding {
  check: string
  /** True with a `next` is a warning: it works, and something should be done. */
  ok: boolean
  detail: string
  /** What to do. */
  next?: string
}

/** Thrown by a check: what is wrong, and what to do. */
export class Trouble extends Error {
  readonly next: string

  constructor(detail: string, next: string) {
    super(detail)
    this.next = next
  }
}

export async function findingOf(
  check: string,
  work: () => Promise<string | Pick<Finding, 'detail' | 'next'>>,
): Promise<Finding> {
  try {
    const found = await work()
    return { check, ok: true, ...(typeof found === 'string' ? { detail: found } : found) }
  } catch (error) {
    const next = error instanceof Trouble ? error.next : undefined
    return { check, ok: false, detail: (error as Error).message, ...(next !== undefined && { next }) }
  }
}

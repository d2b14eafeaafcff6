const storageKey = 'parley-told'
// an event reaches all tabs within seconds
const most = 200

const heldMs = 60_000

/**
 * Whether this tab is the first to tell of a run. What one tab stores another may see a moment later, so where the browser
 * has locks the first one keeps the lock of the run for as long as others could still hear of it.
 */
export async function claimTelling(runId: string): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager }
  if (!locks) return claim(runId)
  return new Promise((resolve, reject) => {
    const take = async (lock: Lock | null) => {
      const isFirst = lock !== null && claim(runId)
      resolve(isFirst)
      if (isFirst) await new Promise((done) => setTimeout(done, heldMs))
    }
    locks.request(`${storageKey}:${runId}`, { ifAvailable: true }, take).catch(reject)
  })
}

function claim(runId: string): boolean {
  try {
    const told = JSON.parse(localStorage.getItem(storageKey) ?? '[]') as unknown
    const known = Array.isArray(told) ? told : []
    if (known.includes(runId)) return false
    localStorage.setItem(storageKey, JSON.stringify([...known, runId].slice(-most)))
  } catch {
    // a browser that stores nothing tells it in each tab
  }
  return true
}

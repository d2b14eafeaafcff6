const storageKey = 'parley-told'
// an event reaches all tabs within seconds
const most = 200

/**
 * Whether this tab is the first to tell of a run. Tabs of one browser ask each other through what they store; where the
 * browser has locks, two cannot both be first.
 */
export async function claimTelling(runId: string): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager }
  return locks ? locks.request(storageKey, () => claim(runId)) : claim(runId)
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

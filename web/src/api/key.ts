const keyName = 'parley-api-key'

/** Kept until the tab is closed, and sent to this server alone. */
export const apiKey = {
  get: () => sessionStorage.getItem(keyName) ?? undefined,
  set: (key: string) => sessionStorage.setItem(keyName, key),
  clear: () => sessionStorage.removeItem(keyName),
}

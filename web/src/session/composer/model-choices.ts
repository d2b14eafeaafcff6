/** A line of the list of models. */
export interface ModelChoice {
  key: string
  kind: 'default' | 'listed' | 'typed'
  /** What is chosen with it; undefined stands for the default. */
  id: string | undefined
  name: string
  /** Why it cannot be used now. */
  reason?: string
}

interface Models {
  default: string
  items: readonly { id: string; available: boolean; reason?: string }[]
}

// a provider may have hundreds: whoever looks for one types a part of its name
const maxListed = 50

/** The default first, then those that can be used; a name that is not listed can be used as it was typed. */
export function toModelChoices(models: Models | undefined, query: string): ModelChoice[] {
  const words = query.trim().toLowerCase().split(/\s+/)
  const isMeant = (name: string) => words.every((word) => name.toLowerCase().includes(word))
  const listed = (models?.items ?? [])
    .filter(({ id }) => isMeant(id))
    .sort((one, two) => Number(two.available) - Number(one.available))
    .slice(0, maxListed)
    .map(({ id, available, reason = '' }): ModelChoice => ({
      key: id,
      kind: 'listed',
      id,
      name: id,
      ...(!available && { reason }),
    }))
  const typed = query.trim()
  const isListed = models?.items.some(({ id }) => id === typed)
  const usual: ModelChoice = { key: '', kind: 'default', id: undefined, name: models?.default ?? '' }
  return [
    ...(typed === '' ? [usual] : []),
    ...listed,
    ...(typed !== '' && !isListed
      ? [{ key: `typed ${typed}`, kind: 'typed' as const, id: typed, name: typed }]
      : []),
  ]
}

export interface Named {
  readonly name: string
  readonly displayName?: string
}

/** What somebody is called where people read it, agent or person. */
export const displayNameOf = ({ name, displayName }: Named): string => displayName || name

/** The same by name; somebody who is not there is called by that. */
export function findDisplayName(known: readonly Named[], name: string): string {
  const found = known.find((one) => one.name === name)
  return found ? displayNameOf(found) : name
}

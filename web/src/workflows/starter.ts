/** What a new workflow begins with: small, and it runs. */
export const starterText = (name: string) => `name: ${JSON.stringify(name)}
description: Writes about a topic, and asks before it is done.

args:
  topic:
    description: What to write about
    type: string

steps:
  - id: write
    type: agent
    description: Writes a first draft
    prompt: |
      Write three sentences about $args.topic.

  - id: check
    type: approve
    approvePrompt: Is this good enough? $write.output

  - id: polish
    type: agent
    prompt: |
      Make this shorter: $write.output
`

/** The same text under another name, where the scope has one of that name already. */
export const renamed = (text: string, name: string) =>
  text.replace(
    /^(\s*"?name"?\s*:\s*).*$/m,
    (_, key: string) => `${key}${JSON.stringify(name)}${text.trimStart().startsWith('{') ? ',' : ''}`,
  )

/** `Digest`, `Digest 2`, `Digest 3`: the first that nobody has. */
export function freeName(name: string, taken: readonly string[]): string {
  let free = name
  for (let number = 2; taken.includes(free); number++) free = `${name} ${number}`
  return free
}

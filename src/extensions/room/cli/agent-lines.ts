export interface AgentLines {
  /** `part` is what belongs together, such as one text of one agent. */
  add(part: string, speaker: string, text: string): void
  end(part: string): void
  endAll(): void
}

/**
 * What several agents say at once, line by line: the beginning of a line is held back until the line is whole, so that no
 * line has words of two of them.
 */
export function createAgentLines(print: (speaker: string, line: string) => void): AgentLines {
  const held = new Map<string, { speaker: string; text: string }>()
  const end = (part: string) => {
    const rest = held.get(part)
    held.delete(part)
    if (rest && rest.text !== '') print(rest.speaker, rest.text.trimEnd())
  }
  return {
    add(part, speaker, text) {
      const lines = ((held.get(part)?.text ?? '') + text).split('\n')
      held.set(part, { speaker, text: lines.pop()! })
      for (const line of lines) print(speaker, line.trimEnd())
    },
    end,
    endAll() {
      for (const part of held.keys()) end(part)
    },
  }
}

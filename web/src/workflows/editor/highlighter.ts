import { syntaxTree } from '@codemirror/language'
import { RangeSetBuilder } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view'

const classes: Record<string, string> = {
  Key: 'code-key',
  Comment: 'code-comment',
  QuotedLiteral: 'code-text',
  BlockLiteralHeader: 'code-sign',
  '-': 'code-sign',
  ':': 'code-sign',
  '{': 'code-sign',
  '}': 'code-sign',
  '[': 'code-sign',
  ']': 'code-sign',
  ',': 'code-sign',
}
const marks = Object.fromEntries(
  Object.entries(classes).map(([name, className]) => [name, Decoration.mark({ class: className })]),
)
const nameMark = Decoration.mark({ class: 'code-name' })
const names = /\$[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*/g

/** Colours what is in sight: what the words are in YAML, and the `$names` in texts. */
export const highlighter = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet

    constructor(view: EditorView) {
      this.decorations = colour(view)
    }

    update(update: ViewUpdate) {
      const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state)
      if (update.docChanged || update.viewportChanged || isParsed) this.decorations = colour(update.view)
    }
  },
  { decorations: ({ decorations }) => decorations },
)

function colour(view: EditorView): DecorationSet {
  const found: { from: number; to: number; mark: Decoration }[] = []
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter({ name, from: start, to: end }) {
        if (Object.hasOwn(marks, name) && end > start)
          found.push({ from: start, to: end, mark: marks[name]! })
        // what is in a key has the colour of the key
        return name !== 'Key'
      },
    })
    for (const match of view.state.sliceDoc(from, to).matchAll(names))
      found.push({ from: from + match.index, to: from + match.index + match[0].length, mark: nameMark })
  }
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to, mark } of found.toSorted((a, b) => a.from - b.from || a.to - b.to))
    builder.add(from, to, mark)
  return builder.finish()
}

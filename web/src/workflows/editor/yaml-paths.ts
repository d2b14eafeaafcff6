import { yamlLanguage } from '@codemirror/lang-yaml'

export interface Span {
  from: number
  to: number
}

type Node = ReturnType<typeof yamlLanguage.parser.parse>['topNode']
export type Path = readonly (string | number)[]

export const toKey = (path: Path) => path.join('\u0000')

/** Where each value of a text in YAML or JSON stands, by the way to it. A text that is half typed has those it has. */
export function findPlaces(text: string): Map<string, Span> {
  const places = new Map<string, Span>()
  visit(yamlLanguage.parser.parse(text).topNode, [])
  return places

  function visit(node: Node, path: Path): void {
    switch (node.name) {
      case 'BlockMapping':
      case 'FlowMapping':
        for (const pair of node.getChildren('Pair')) {
          const key = pair.getChild('Key')
          if (!key) continue
          const here = [...path, unquote(text.slice(key.from, key.to))]
          places.set(toKey(here), { from: pair.from, to: pair.to })
          for (let child = key.nextSibling; child; child = child.nextSibling) visit(child, here)
        }
        return
      case 'BlockSequence':
      case 'FlowSequence':
        for (const [index, item] of node.getChildren('Item').entries()) {
          const here = [...path, index]
          const from = item.from + (text.slice(item.from, item.to).match(/^\s*/)?.[0].length ?? 0)
          places.set(toKey(here), { from, to: item.to })
          for (let child = item.firstChild; child; child = child.nextSibling) visit(child, here)
        }
        return
      default:
        for (let child = node.firstChild; child; child = child.nextSibling) visit(child, path)
    }
  }
}

const unquote = (text: string) => text.replace(/^(["'])(.*)\1$/, '$2')

/** The innermost of the named spans that holds the offset. */
export function innermost<Name>(spans: Iterable<readonly [Name, Span]>, offset: number): Name | undefined {
  let best: readonly [Name, Span] | undefined
  for (const entry of spans) {
    const [, { from, to }] = entry
    if (offset < from || offset > to) continue
    if (!best || to - from < best[1].to - best[1].from) best = entry
  }
  return best?.[0]
}

interface Node {
  type: string
  value?: string
  children?: Node[]
}

/** Tags that somebody wrote are words: they are shown, and never become elements. */
export const htmlAsText = () => (tree: object) => replaceIn(tree as Node)

function replaceIn(node: Node): void {
  node.children?.forEach((child, index, children) => {
    if (child.type !== 'html') return replaceIn(child)
    const text = { type: 'text', value: child.value ?? '' }
    children[index] = holdsBlocks.has(node.type) ? { type: 'paragraph', children: [text] } : text
  })
}

const holdsBlocks = new Set(['root', 'blockquote', 'listItem', 'footnoteDefinition'])

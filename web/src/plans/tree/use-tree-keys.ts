import type { KeyboardEvent } from 'react'
import type { NodeActionName } from '../node-actions.ts'
import type { TreeRow } from '../plan-tree.ts'
import type { Folding } from '../use-folding.ts'
import type { NodeActions } from '../use-node-actions.tsx'

interface Options {
  rows: readonly TreeRow[]
  folding: Folding
  actions: NodeActions
  goTo(id: number): void
  onSelect(id: number): void
}

const moves: Record<string, NodeActionName> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'out',
  ArrowRight: 'in',
}
const rowsPerPage = 10

/** The keys of a tree, as people know them from others; with Alt and Shift arrows move the node itself. */
export function useTreeKeys({ rows, folding, actions, goTo, onSelect }: Options) {
  return (event: KeyboardEvent<HTMLElement>) => {
    const element = event.target as HTMLElement
    // buttons in a row have keys of their own
    if (element.getAttribute('role') !== 'treeitem') return
    const index = rows.findIndex(({ node }) => String(node.id) === element.dataset.node)
    const row = rows[index]
    if (!row || event.ctrlKey || event.metaKey) return
    const deed = event.altKey
      ? event.shiftKey && moves[event.key] && (() => move(row, moves[event.key]!))
      : (deedOf(event, element, row, index) ?? searchFor(event, index))
    if (!deed) return
    event.preventDefault()
    deed()
  }

  function move(row: TreeRow, name: NodeActionName) {
    actions.perform(row.node, name)
    goTo(row.node.id)
  }

  function deedOf(
    { key, shiftKey }: KeyboardEvent,
    element: HTMLElement,
    row: TreeRow,
    index: number,
  ): (() => void) | undefined {
    const { node, hasChildren, isOpen } = row
    const to = (next: number) => () => {
      const target = rows[Math.max(0, Math.min(rows.length - 1, next))]
      if (target) goTo(target.node.id)
    }
    const act = (name: NodeActionName) => () => actions.perform(node, name)
    const openMenu = () => element.querySelector<HTMLElement>('[data-row-menu]')?.click()
    return {
      ArrowDown: to(index + 1),
      ArrowUp: to(index - 1),
      PageDown: to(index + rowsPerPage),
      PageUp: to(index - rowsPerPage),
      Home: to(0),
      End: to(rows.length - 1),
      ArrowRight: isOpen ? to(index + 1) : hasChildren ? () => folding.toggle(node.id) : () => {},
      ArrowLeft: isOpen
        ? () => folding.toggle(node.id)
        : node.parentId === 0
          ? () => {}
          : () => goTo(node.parentId),
      Enter: () => onSelect(node.id),
      ' ': () => onSelect(node.id),
      F2: act('rename'),
      Delete: act('remove'),
      Insert: act(shiftKey ? 'addInside' : 'addAfter'),
      ContextMenu: openMenu,
      F10: shiftKey ? openMenu : undefined,
    }[key]
  }

  /** A letter leads to the next name that begins with it. */
  function searchFor({ key }: KeyboardEvent, index: number): (() => void) | undefined {
    if (!/^[\p{Letter}\p{Number}]$/u.test(key)) return undefined
    const begins = ({ node }: TreeRow) => node.name.toLowerCase().startsWith(key.toLowerCase())
    const found = [...rows.slice(index + 1), ...rows.slice(0, index)].find(begins)
    return found && (() => goTo(found.node.id))
  }
}

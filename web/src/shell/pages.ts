import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Load } from './lazy-view.tsx'
import type { Name } from './texts.ts'

/**
 * The pages that there are, by their paths, each with the names of what it keeps in the URL beside its path. Features add
 * theirs where they define them: `declare module './pages.ts' { interface Pages { '/tickets': 'q' | 'form' } }`. From it
 * the router knows what a link may lead to.
 */
export interface Pages {
  /** Pages of extensions; what is behind the name is theirs. */
  '/x/$extension/$': never
}

export type PagePath = keyof Pages & string

/** What a page keeps in the URL, as the router reads it: text, or what reads as a number or as true. */
export type SearchOf<Path extends PagePath> = { [Key in Pages[Path] & string]?: SearchValue }
export type SearchValue = string | number | boolean

/** Paths with what their parameters stand for: `/plans/$planId` takes `/plans/pln_1`. */
export type FilledPath = { [Path in PagePath]: Filled<Path> }[PagePath]
type Filled<Path extends string> = Path extends `${infer Before}$${string}` ? `${Before}${string}` : Path

export interface PageOf<Path extends PagePath> {
  path: Path
  /** What it keeps in the URL; the names are checked against those that the path is declared with. */
  search?: readonly (Pages[Path] & string)[]
  load: Load
  /** Shown in the navigation, and offered by the palette. */
  nav?: {
    name: Name
    icon: LucideIcon
    /** Stands at the end of the line when there is something to say. */
    Badge?: ComponentType
    /** Keys that open it from anywhere; the name is what a person's own keys are kept by. */
    action?: { name: string; keys: readonly string[] }
  }
}

export type Page = { [Path in PagePath]: PageOf<Path> }[PagePath]

/**
 * What extensions add to the records that cross the wire. The types are joined here by declaration merging, each from the
 * folder of its extension; the schemas are declared beside them (`facets.ts`), without anything that runs.
 */
import type { z } from 'zod'

/** Of the record of a session: taken at its creation, and part of its document, unless they are among `own`. */
export interface SessionFacets {}
/** Of those, what can be changed; null takes a value away. */
export interface PatchFacets {}
/** Of `toolMeta`. */
export interface ToolMetaFacets {}
/** Of `bgMeta`. */
export interface BgMetaFacets {}
/** By name, what starts background sessions (`bgMeta.triggerType`). */
export interface TriggerFacets {}
/** Of the body that starts a background session; kept in `bgMeta`. */
export interface TaskFacets {}
/** Of the body of a chat. */
export interface ChatFacets {}
/** Of an input, as it is stored with its run. */
export interface InputFacets {}
/** By name, groups of tools that can be switched. */
export interface ToolGroups {}
/** Of an ask: what a call would do, as its tool shows it (`preview`). */
export interface ApprovalFacets {}
/** Of the settings of a scope that count (`readEffective`). */
export interface EffectiveFacets {}
/** By name, what checks of schemas say: see `named`. */
export interface Wordings {}
/** By name, tags of prompts. */
export interface PromptTags {}

/** All that one extension adds. A name that the core or another extension has is refused. */
export interface Facets {
  readonly session?: SessionBlock
  readonly patch?: Block<PatchFacets>
  readonly toolMeta?: MetaBlock<ToolMetaFacets>
  readonly bgMeta?: MetaBlock<BgMetaFacets>
  readonly triggers?: readonly (keyof TriggerFacets)[]
  /** Modes of sessions that lists show among those without a mode. */
  readonly plainModes?: readonly string[]
  readonly task?: TaskBlock
  readonly chat?: ChatBlock
  /** The folders that its sessions have beside those of all, the nearest first, and what models see of them. */
  readonly folders?: { readonly note: string; readonly list: readonly FolderFacet[] }
  /** Groups of its tools, and whether each is on until somebody switches it. */
  readonly groups?: Place & { readonly list: { readonly [Name in keyof ToolGroups]?: boolean } }
  /** Tools whose patterns in rules are of commands, with a grammar of their own. */
  readonly commandTools?: readonly string[]
  /** How names of tools begin that no program can use for its own, and whose they are. */
  readonly toolPrefixes?: Readonly<Record<string, string>>
  readonly approval?: Block<ApprovalFacets>
  readonly effective?: Block<EffectiveFacets>
  /** The tags that it puts around its texts for a model: text of others can neither begin nor end one. */
  readonly tags?: readonly (keyof PromptTags)[]
  /** What its runs are called that count among the tasks of a session. */
  readonly runKind?: string
  /** What it reads from folders of scopes, in words. */
  readonly folderFiles?: Place & { readonly list: readonly string[] }
  /** Of what it keeps snapshots: by kind, how many a turn may have changed, as an example. */
  readonly snapshots?: Readonly<Record<string, number>>
  /** Who said a message, for people who read a transcript; undefined leaves the role alone. */
  headingOf?(role: string, metadata: Readonly<Record<string, unknown>>): string | undefined
}

/** Where something stands among others of its kind, by the name of a neighbour; default: after all of them. */
export interface Place {
  readonly after?: string
  readonly before?: string
}

export interface Block<Added> extends Place {
  readonly fields: { readonly [Name in keyof Added]?: z.ZodType<Added[Name]> }
}

export interface SessionBlock extends Block<SessionFacets> {
  /** What the runtime alone sets: no caller gives it, and no document carries it. */
  readonly own?: readonly (keyof SessionFacets)[]
  /** What a copy of the session does not have. */
  readonly unforked?: readonly (keyof SessionFacets)[]
  /**
   * Lists of names that limit what a session may use, where an empty one is no limit: what the session starts has it too, or
   * less, and a key that is bound to scopes does not widen it.
   */
  readonly limits?: readonly (keyof SessionFacets)[]
}

export interface MetaBlock<Added> extends Block<Added> {
  readonly own?: readonly (keyof Added)[]
}

export interface TaskBlock extends Block<TaskFacets> {
  /** What the record of a task says where nothing else was given. */
  toMeta?(meta: BgMetaFacets): BgMetaFacets
  /** What it adds to the input of its turn. */
  toInput?(meta: BgMetaFacets): InputFacets & { skipSummary?: boolean }
}

export interface ChatBlock extends Block<ChatFacets> {
  /** What a body says, as it is stored with its run. */
  toInput(body: ChatFacets): InputFacets
  /** What several messages are that answer one chat, in words. */
  readonly answers?: string
}

/** A folder that sessions work in, beside that of their scope and their own. */
export interface FolderFacet {
  /** How calls of tools name it. */
  readonly name: string
  /** How the prompt names it. */
  readonly shownAs: string
  /** Relative paths start there. */
  readonly isStart?: true
  /** Where tasks keep it that the session starts. */
  readonly keptIn: keyof BgMetaFacets
  of(session: { toolMeta?: ToolMetaFacets; bgMeta?: BgMetaFacets }): string | undefined
}

/** Checks nothing and changes nothing: it is there for its types. */
export const defineFacets = (facets: Facets): Facets => facets

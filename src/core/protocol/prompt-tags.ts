import type { PromptTags } from './facets.ts'

/**
 * The tags that Parley puts around its texts for a model. Text of others (files, reports, names) may
 * stand inside of them and must neither end one nor begin another: it is sealed where it is put in. What is sealed is
 * text, never a tag of ours, so that tags can stand in tags.
 */

/** Around a whole fragment, or around all that goes with an input. */
const outerTags = [
  'context',
  'identity',
  'instructions',
  'session_instructions',
  'rules',
  'env',
  'available_skills',
  'skill',
  'caller_preamble',
  'memo',
  'left_window',
  'workspace_context',
  'current_date',
  'task_state',
  'changes',
  'matching_rules',
  'references',
  'command_instructions',
] as const

/** Around what a task sees before it begins. */
export const preambleTags = [
  'previous_step',
  'task_context',
  'expected_output',
  'output_schema',
  'result',
] as const

/** Around one thing among others. */
const innerTags = ['imported', 'file', 'run', 'note', 'task_result'] as const

export const coreTags = [...outerTags, ...preambleTags, ...innerTags] as const

/**
 * Words that are reserved in prompts, whichever extensions a Parley has: stored text may hold them, and whoever seals a text
 * need not know who is there. Tags of other extensions are sealed in what their Parley renders (`sealedFrom`).
 */
const reserved = [
  'active_locks',
  'memories',
  'document',
  'knowledge',
  'workflow_context',
  'workflow_management_context',
  'current_definition',
  'plan_context',
  'plan_binding',
  'plan_outline',
  'plan_list',
  'recent_results',
  'reply_schema',
  'actions',
  'guidelines',
  'subgraph',
  'peers',
  'room_rules',
  'room_state',
  'room_task',
  'message',
] as const

export const promptTags = [...coreTags, ...reserved] as const
export const reservedTags: ReadonlySet<string> = new Set(promptTags)
export type PromptTag = (typeof promptTags)[number] | keyof PromptTags

export const isTagName = (name: string): boolean => /^[a-z][a-z0-9_]{0,63}$/.test(name)

/**
 * Text of others as it may stand between tags: whatever would begin or end one of ours gets a blank that makes it plain
 * text, `< /rules>`. Names that only begin like ours are left alone. `except` names the tags of ours that the text already
 * holds; text of others in it has been sealed before.
 */
export const sealed = (text: string, except: readonly PromptTag[] = []): string =>
  text.replace(anyTag, (begin, name: string) =>
    (except as readonly string[]).includes(name.toLowerCase()) ? begin : '< ',
  )

/** Text as it may stand among these tags, which are not reserved. */
export const sealedFrom = (tags: readonly string[], text: string): string =>
  tags.length === 0 ? text : text.replace(beginOf(tags), '< ')

// a component such as <Context.Provider> or <file-list> is none of ours
const beginOf = (tags: readonly string[]) => new RegExp(`<(?=/?(${tags.join('|')})(?![\\w.:-]))`, 'gi')
const anyTag = beginOf(promptTags)

/** A name or an id as it may stand in an attribute of a tag: on one line, and unable to end it. */
export const inAttribute = (text: string): string =>
  text.replaceAll(/[<>"&\p{Cc}\p{Default_Ignorable_Code_Point}]+/gu, ' ').trim()

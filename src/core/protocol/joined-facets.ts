import { z } from 'zod'
import { approvalFields, approvalSchemasOf, type ApprovalSchemas } from './approval.ts'
import { createBackgroundFields } from './background.ts'
import { chatFields, chatSchemasOf, type ChatBody, type ChatSchemas } from './chat.ts'
import { once } from '../shared/once.ts'
import { invalidRequest, quote } from './error.ts'
import type {
  ApprovalFacets,
  BgMetaFacets,
  Facets,
  FolderFacet,
  InputFacets,
  SessionFacets,
} from './facets.ts'
import { coreGroups, permissionRuleOf, rightsSchemasOf, type GroupSwitches } from './permission.ts'
import { placedEntries } from './placed-fields.ts'
import { coreTags, isTagName, reservedTags } from './prompt-tags.ts'
import { sessionSchemasOf, type SessionSchemas } from './session-schemas.ts'
import { settingsSchemasOf, type SettingsSchemas } from './settings.ts'
import {
  authorityFieldsOf,
  backgroundFields,
  bgMetaFields,
  coreTriggers,
  facetFields,
  headFields,
  patchAuthorityOf,
  patchFields,
  tailFields,
  toolMetaFields,
  type Session,
  type SessionDocument,
} from './session.ts'

/** The facets of all extensions of one Parley. */
export interface JoinedFacets {
  /** What operations on sessions take and answer. */
  readonly schemas: SessionSchemas
  /** What a chat says, and what is answered to it. */
  readonly chatSchemas: ChatSchemas
  readonly settingsSchemas: SettingsSchemas
  readonly approvalSchemas: ApprovalSchemas
  readonly documents: DocumentRules
  /** Groups of tools that can be switched, in the order in which they are listed. */
  readonly groups: readonly (keyof GroupSwitches)[]
  /** Those that are off until somebody switches them on. */
  readonly defaultGroups: GroupSwitches
  /** One rule of permissions. */
  readonly permissionRule: ReturnType<typeof permissionRuleOf>
  /** How names of tools begin that no program can use for its own, and whose they are. */
  readonly toolPrefixes: Readonly<Record<string, string>>
  /** Tags of prompts beside those that are reserved in every Parley. */
  readonly tags: readonly string[]
  /** What extensions keep in the record of a session. */
  readonly names: readonly (keyof SessionFacets)[]
  /** Of those, the lists that limit what a session may use. */
  readonly limits: readonly (keyof SessionFacets)[]
  /** Modes of sessions that lists show among those without a mode. */
  readonly plainModes: readonly string[]
  readonly folders: readonly FolderFacet[]
  /** What models see of these folders. */
  readonly folderNotes: readonly string[]
  /** What a person was shown of a call beside its input; undefined when there was nothing. */
  previewOf(approval: ApprovalFacets): ApprovalFacets | undefined
  /** What a copy of a session has of it. */
  forkedOf(session: Session): SessionFacets
  /** What a chat says for extensions, as it is stored with its run. */
  toInput(body: ChatBody): InputFacets
  /** What the record of a task and the input of its turn contain, by what it was started with. */
  toTask(given: BgMetaFacets): { meta: BgMetaFacets; input: InputFacets & { skipSummary?: boolean } }
  /** What of a body that starts a background session is for extensions. */
  readonly taskNames: readonly string[]
}

/** What makes documents of sessions. */
export interface DocumentRules {
  /** A whole document, its messages unchecked. */
  readonly outline: z.ZodType<Omit<SessionDocument, 'messages'> & { messages: unknown[] }>
  /** Who said a message, where that is more than its role and a name. */
  headingOf?(role: string, metadata: Readonly<Record<string, unknown>>): string | undefined
  /** Who reads it knows not who wrote it: any heading fits. */
  readonly takesAnyHeading?: true
}

interface Owner {
  readonly name: string
  readonly facets?: Facets
}

export function joinFacets(owners: readonly Owner[]): JoinedFacets {
  requireOwnNames(owners)
  requireTagNames(owners)
  const all = owners.flatMap(({ facets }) => facets ?? [])
  const sessions = all.flatMap(({ session }) => session ?? [])
  const names = sessions.flatMap(({ fields }) => Object.keys(fields)) as (keyof SessionFacets)[]
  const unforked = sessions.flatMap((block) => block.unforked ?? [])
  const forked = names.filter((name) => !unforked.includes(name))
  const tasks = all.flatMap(({ task }) => task ?? [])
  const chats = all.flatMap(({ chat }) => chat ?? [])
  // made when the first asks: many who open a store check no request
  const commandTools = all.flatMap((facets) => facets.commandTools ?? [])
  const groups = placedEntries<boolean>(
    coreGroups,
    all.flatMap((facets) => facets.groups ?? []),
  )
  const rights = once(() => rightsSchemasOf(Object.keys(groups), commandTools))
  const schemas = once(() => sessionSchemasOf(all, rights()))
  const settingsSchemas = once(() => settingsSchemasOf(all, rights()))
  const approvalSchemas = once(() => approvalSchemasOf(all))
  const permissionRule = once(() => permissionRuleOf(commandTools))
  const previews = all.flatMap(({ approval }) => Object.keys(approval?.fields ?? {}))
  const chatSchemas = once(() => chatSchemasOf(all))
  const documents = once(() => ({
    outline: schemas().document.extend({
      messages: z.array(z.unknown()),
    }) as unknown as DocumentRules['outline'],
    headingOf: (role: string, metadata: Readonly<Record<string, unknown>>) =>
      all.flatMap(({ headingOf }) => headingOf?.(role, metadata) ?? [])[0],
  }))
  return {
    get schemas() {
      return schemas()
    },
    get chatSchemas() {
      return chatSchemas()
    },
    get settingsSchemas() {
      return settingsSchemas()
    },
    get approvalSchemas() {
      return approvalSchemas()
    },
    get permissionRule() {
      return permissionRule()
    },
    get documents() {
      return documents()
    },
    groups: Object.keys(groups) as (keyof GroupSwitches)[],
    defaultGroups: Object.fromEntries(Object.entries(groups).filter(([, isOn]) => !isOn)),
    toolPrefixes: Object.assign({}, ...all.map((facets) => facets.toolPrefixes)),
    tags: all.flatMap(({ tags = [] }) => tags).filter((tag) => !reservedTags.has(tag)),
    previewOf(approval) {
      const shown = Object.entries(approval).filter(
        ([name, value]) => previews.includes(name) && value !== undefined,
      )
      return shown.length > 0 ? Object.fromEntries(shown) : undefined
    },
    names,
    limits: sessions.flatMap(({ limits = [] }) => limits),
    plainModes: all.flatMap(({ plainModes = [] }) => plainModes),
    folders: all.flatMap(({ folders }) => folders?.list ?? []),
    folderNotes: all.flatMap(({ folders }) => folders?.note ?? []),
    forkedOf: (session) => Object.fromEntries(forked.map((name) => [name, session[name]])),
    toInput: (body) => Object.assign({}, ...chats.map((block) => block.toInput(body))),
    toTask(given) {
      const meta: BgMetaFacets = Object.assign({}, ...tasks.map(({ toMeta }) => toMeta?.(given)))
      const whole = { ...given, ...meta }
      return { meta, input: Object.assign({}, ...tasks.map(({ toInput }) => toInput?.(whole))) }
    },
    taskNames: tasks.flatMap(({ fields }) => Object.keys(fields)),
  }
}

const authority = authorityFieldsOf(rightsSchemasOf(Object.keys(coreGroups), []))

const namesIn = (...records: object[]) => records.flatMap((record) => Object.keys(record))

/** Where extensions add something, with what the core has there. */
const places: [where: string, ofCore: readonly string[], namesOf: (facets: Facets) => readonly string[]][] = [
  [
    'the record of a session',
    [...namesIn(headFields, facetFields, authority, backgroundFields, tailFields), 'toolMeta', 'bgMeta'],
    ({ session }) => namesIn(session?.fields ?? {}),
  ],
  [
    'the change of a session',
    namesIn(patchFields, patchAuthorityOf(authority)),
    ({ patch }) => namesIn(patch?.fields ?? {}),
  ],
  ['toolMeta', namesIn(toolMetaFields), ({ toolMeta }) => namesIn(toolMeta?.fields ?? {})],
  ['bgMeta', ['triggerType', ...namesIn(bgMetaFields)], ({ bgMeta }) => namesIn(bgMeta?.fields ?? {})],
  ['bgMeta.triggerType', coreTriggers, ({ triggers = [] }) => triggers],
  [
    'the body of a background session',
    ['toolGroups', ...namesIn(createBackgroundFields)],
    ({ task }) => namesIn(task?.fields ?? {}),
  ],
  ['the body of a chat', namesIn(chatFields), ({ chat }) => namesIn(chat?.fields ?? {})],
  ['the groups of tools', namesIn(coreGroups), ({ groups }) => namesIn(groups?.list ?? {})],
  ['an ask', namesIn(approvalFields), ({ approval }) => namesIn(approval?.fields ?? {})],
  [
    'the settings that count',
    ['model', 'window', 'parameters', 'permissionMode', 'toolGroups', 'sandbox'],
    ({ effective }) => namesIn(effective?.fields ?? {}),
  ],
  ['the tags of prompts', coreTags, ({ tags = [] }) => tags],
  [
    'the folders of a session',
    ['main', 'session', 'granted'],
    ({ folders }) => folders?.list.map(({ name }) => name) ?? [],
  ],
]

/** Refuses a name that the core or another extension has. */
function requireOwnNames(owners: readonly Owner[]): void {
  for (const [where, ofCore, namesOf] of places) {
    const taken = new Map<string, string>(ofCore.map((name) => [name, 'core']))
    for (const { name: owner, facets = {} } of owners)
      for (const name of namesOf(facets)) {
        const other = taken.get(name)
        if (other !== undefined)
          throw invalidRequest(
            `The extensions ${quote(other)} and ${quote(owner)} both keep ${quote(name)} in ${where}.`,
          )
        taken.set(name, owner)
      }
  }
}

function requireTagNames(owners: readonly Owner[]): void {
  for (const { name, facets } of owners)
    for (const tag of facets?.tags ?? [])
      if (!isTagName(tag))
        throw invalidRequest(
          `The extension ${quote(name)} has the tag ${quote(tag)}; use small letters, digits and "_", beginning with a letter.`,
        )
}

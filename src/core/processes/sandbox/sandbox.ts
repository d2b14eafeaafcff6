import type { Workspaces } from '../../files/workspaces.ts'
import { createAddressRules } from '../../net/address-rules.ts'
import { inspectFolders, type Inspection } from '../folder-changes.ts'
import { findProgram, launchInBubblewrap, missingOptions } from './bubblewrap.ts'
import type { Confined, Launch, SandboxState } from './launch.ts'
import { defaultSandboxLimits, type SandboxLimits } from './limits.ts'
import { createPlaceholders } from './placeholders.ts'
import { probe } from './probe.ts'
import { createHostProxy, type HostProxy } from './proxy.ts'
import { launchInSeatbelt, seatbeltProgram } from './seatbelt.ts'
import { readablePlaces, writablePlaces } from './view.ts'

/** What is left out has its default. */
export interface SandboxSettings extends Partial<SandboxLimits> {
  /** Default `auto`: the sandbox of this system, if it has one. With `off` commands run as Parley does. */
  sandbox?: 'auto' | 'off'
  /** Default `off`: no network but `hosts`. */
  network?: 'off' | 'on'
  /** Hosts that commands reach while the network is off: `example.com`, `*.example.com`, `example.com:8443`. */
  hosts?: readonly string[]
  /** Files and folders that commands may read beside the system's own and the workspaces. */
  readable?: readonly string[]
  /** Path of `bwrap`; default: the one in the PATH. */
  bubblewrap?: string
}

export interface SandboxPlaces {
  /** Folders that no command may see, besides those that are forbidden in the workspaces. */
  hidden?: readonly string[]
  /** Addresses that are not public and may be reached although: see `web.allowPrivate`. */
  allowPrivate?: readonly string[]
  /** Where the PATH is read from. */
  environment?: Readonly<Record<string, string | undefined>>
}

export interface Sandbox {
  /** Found out once, at the first call, by starting a program in it. */
  state(): SandboxState
  /** Undefined where the program has to be started as it is. Throws when the folders cannot be shown as they should. */
  launch(confined: Confined): Launch | undefined
  /** What lies in the folders of a command that matters outside of it. */
  inspect(workspaces: Workspaces): Promise<Inspection>
  close(): Promise<void>
}

export function createSandbox(settings: SandboxSettings = {}, places: SandboxPlaces = {}): Sandbox {
  const limits = { ...defaultSandboxLimits, ...settings }
  const { network = 'off', hosts = [] } = settings
  const { hidden = [], environment = {} } = places
  let known: SandboxState | undefined
  let proxy: HostProxy | undefined

  const readable = readablePlaces(settings.readable ?? [], environment['PATH'])
  const view = { limits, readable, hidden, hasNetwork: network === 'on' }
  const placeholders = createPlaceholders()

  function find(): SandboxState {
    if (settings.sandbox === 'off') return { kind: 'off' }
    if (process.platform === 'linux') {
      const file = settings.bubblewrap ?? findProgram('bwrap', environment['PATH'])
      if (file === undefined)
        return {
          kind: 'missing',
          reason: 'bubblewrap is not installed',
          next: 'install the package "bubblewrap" and restart Parley',
        }
      return probe('bubblewrap', file, missingOptions, (confined) => launchInBubblewrap(file, view, confined))
    }
    if (process.platform === 'darwin')
      return probe(
        'seatbelt',
        seatbeltProgram,
        () => [],
        (confined) => launchInSeatbelt(view, confined),
      )
    return {
      kind: 'missing',
      reason: `there is no sandbox for ${process.platform}`,
      next: 'run Parley on Linux, or in a container or virtual machine that runs it',
    }
  }

  const state = () => (known ??= find())

  function socketOfProxy(): string | undefined {
    if (network === 'on' || hosts.length === 0) return undefined
    proxy ??= createHostProxy({ hosts, rules: createAddressRules(places.allowPrivate ?? []) })
    return proxy.socket
  }

  return {
    state,
    launch(confined) {
      const found = state()
      if (found.kind !== 'seatbelt' && found.kind !== 'bubblewrap') return undefined
      const release = placeholders.hold(confined.inspection?.git.slice(0, limits.maxGuarded) ?? [])
      try {
        const launch =
          found.kind === 'seatbelt'
            ? launchInSeatbelt(view, confined)
            : launchInBubblewrap(found.detail, view, confined, socketOfProxy())
        const end = () => {
          launch.end?.()
          release()
        }
        return { ...launch, end }
      } catch (error) {
        release()
        throw error
      }
    },
    inspect(workspaces) {
      const { kind } = state()
      // without a sandbox rules keep nothing from a command
      const closed = kind === 'off' || kind === 'missing' ? { forbidden: workspaces.forbidden } : workspaces
      return inspectFolders(writablePlaces(view, workspaces), closed, limits.maxLookedEntries)
    },
    async close() {
      await proxy?.close()
    },
  }
}

/** Why a person has to be asked about each command; undefined where none has to be for that reason. */
export function reasonToAsk(state: SandboxState): string | undefined {
  return state.kind === 'missing'
    ? `There is no sandbox for commands (${state.reason}): this one could do whatever Parley's user can.`
    : undefined
}

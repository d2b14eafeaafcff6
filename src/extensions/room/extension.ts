import { defineExtension } from '../../core/extension.ts'
import { count, optionGroup, positiveCount, textList } from '../../core/protocol/options.ts'
import { agents } from '../agents/extension.ts'
import { readAgents } from '../agents/agents.ts'
import { createRoomAdvance } from './advance-room.ts'
import { createCommandRunner } from './test-command-runner.ts'
import { checkRoomPatch, createRoomOrSession } from './create-room.ts'
import { readSeatPart } from './demo-seat.ts'
import { defaultRoomLimits, type RoomDeps, type RoomLimits } from './room-service.ts'
import { createModes, type RoomModes } from './modes/registry.ts'
import { roomOperationsOf } from './operations.ts'
import { forkRoom, rewindRoom } from './rewind-room.ts'
import { refuseOutside } from './admit-input.ts'
import { roomChatRoutes } from './room-chat-route.ts'
import { sealGames } from './seal-games.ts'
import { roomType, seatSource, seatType } from './session-types.ts'
import { roomStore } from './store/slice.ts'

interface RoomOptions {
  /** Bounds of rooms, and what their test commands may begin with; what is left out has its default. */
  rooms?: Partial<RoomLimits>
}

declare module '../../core/compose/options.ts' {
  interface ExtensionOptions extends RoomOptions {}
}

/** Sessions of several agents. */
export const room = defineExtension<RoomDeps & RoomModes>({
  name: 'room',
  store: roomStore,
  needs: [agents],
  options: {
    rooms: optionGroup<RoomLimits>({
      hopLimit: count,
      coolDown: count,
      maxReplies: count,
      keptStates: count,
      agentTimeoutMs: positiveCount,
      testCommands: textList,
      testTimeoutMs: positiveCount,
    }),
  },
  demo: readSeatPart,
  create(core, { options, use }) {
    const { store, chats, types, clock, ids, tasks, taskLimits, readWorkspaces, isTrusted, sandbox } = core
    const limits = { ...defaultRoomLimits, ...options.rooms }
    const commands = createCommandRunner({
      limits,
      readWorkspaces,
      sandbox,
      environment: options.terminal?.environment,
      variables: options.terminal?.variables,
      readRights: core.rights.readRights,
      isTrusted,
    })
    const known = use(agents)
    const service: RoomDeps & RoomModes = {
      store,
      chats,
      types,
      clock,
      ids,
      limits,
      maxWakes: taskLimits.maxWakes,
      ...createModes(store.facets.plainModes),
      readAgents: (tx, scope) => readAgents(known, tx, scope),
      requireModel: known.requireModel,
      cancelTasksOf: (scope, sessionId) => tasks.cancelTasksOf(scope, sessionId),
      deleteSession: (tx, scope, sessionId) => tasks.deleteIn(tx, scope, sessionId),
      runCommands: commands.runCommands,
    }
    return {
      service,
      operations: { rooms: { operations: roomOperationsOf(core.store.facets.schemas), deps: service } },
      prompt: [seatSource],
      routes: (running) => roomChatRoutes({ ...running, rooms: service, agents: known }),
      seal: sealGames(service),
      sessionTypes: [roomType, seatType],
      runKinds: { room: createRoomAdvance(service) },
      on: {
        checkInput: refuseOutside,
        createSession: (tx, caller, input, proceed) =>
          createRoomOrSession(tx, service, caller, input, proceed),
        checkPatch: (tx, caller, id, patch) => checkRoomPatch(tx, service, caller, id, patch),
        sessionForked: (tx, original, fork) => forkRoom(tx, service, original, fork),
        sessionRolledBack: (tx, session) => rewindRoom(tx, service, session),
      },
      // ends commands that are running
      close: () => commands.close(),
    }
  },
})

import { visualForm } from '../../../core/shared/visual-form.ts'

/** Who speaks for people that say nothing else. */
export const defaultHuman = 'operator'

/** The speaker of the room's own messages. */
export const roomName = 'room'

/** The speaker of task results that are delivered to a room. */
export const resultsFrom = 'tasks'

/** What calls all agents. */
export const everybody = ['all', 'everyone', '所有人', '大家']

const reserved = new Set([defaultHuman, roomName, resultsFrom, ...everybody].map(visualForm))

/** Whether a name means somebody in every room, or looks like one that does: no agent goes by it. */
export const isReserved = (name: string): boolean => reserved.has(visualForm(name))

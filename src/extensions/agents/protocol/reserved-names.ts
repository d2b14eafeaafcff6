import { visualForm } from '../../../core/shared/visual-form.ts'

/** Who speaks for people that say nothing else. */
export const defaultHuman = 'operator'

/** The room itself, where somebody is told who speaks. */
export const roomName = 'room'

/** Under which name results of tasks are told to a room that they were sent to. */
export const resultsFrom = 'tasks'

/** What calls all agents. */
export const everybody = ['all', 'everyone', '所有人', '大家']

const reserved = new Set([defaultHuman, roomName, resultsFrom, ...everybody].map(visualForm))

/** Whether a name means somebody in every room, or looks like one that does: no agent goes by it. */
export const isReserved = (name: string): boolean => reserved.has(visualForm(name))

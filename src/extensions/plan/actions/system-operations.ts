import { z } from 'zod'
import { defineStored, type ActionType } from './action.ts'

/** As the model is told what it can do; handed in, since what it tells of includes these. */
type DescribeCatalogue = (isBound: boolean, hasTool: (name: string) => boolean) => string

const help = (describe: DescribeCatalogue) =>
  defineStored({
    kind: 'system_operation',
    name: 'help',
    description: 'no parameters: what you can do',
    parameters: z.strictObject({}),
    needsPlan: false,
    effect: 'read',
    isReported: true,
    perform: async ({ planId, deps }) => ({
      message: 'What can be done here.',
      result: describe(planId !== undefined, deps.hasTool),
    }),
  })

export const systemOperations = (describe: DescribeCatalogue): readonly ActionType[] => [help(describe)]

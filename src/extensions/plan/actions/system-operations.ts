import { z } from 'zod'
import { defineStored, type ActionType } from './action.ts'

/** Describes the catalogue to the model; injected, since the catalogue includes these actions. */
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

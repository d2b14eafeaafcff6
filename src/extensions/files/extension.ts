import { defineExtension } from '../../core/extension.ts'
import { fileFacets } from './facets.ts'
import { createFileTool } from './file-tool.ts'

/** Reading, searching and changing files of a workspace. */
export const files = defineExtension({
  name: 'files',
  store: { name: 'files', facets: fileFacets },
  toolNames: ['file'],
  create: ({ store, chatLimits }) => ({
    service: undefined,
    tools: [createFileTool({ maxOutput: chatLimits.maxToolOutput, facets: store.facets })],
  }),
})

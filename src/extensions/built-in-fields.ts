/** Fields of records of the core that the capabilities that come with Parley fill, with their schemas. */
import { runPreviewField } from './plan/protocol/run-preview.ts'
import { webSearchField } from './web/protocol/web-search.ts'

/** What an ask shows of a call beside its input, from `preview` of the tool. */
export const builtInApprovalFields = { planRun: runPreviewField }

/** What the settings of a scope show, from `readEffective`. */
export const builtInEffectiveFields = { webSearch: webSearchField }

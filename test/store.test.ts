import { databases } from './harness.ts'
import { describeStore } from './store-conformance.ts'

for (const [name, open] of databases) describeStore(name, open)

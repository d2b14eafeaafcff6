/** Run as a process of its own: appends messages to a session of a data folder, through the library. */
import { createParley } from '../../src/index.ts'

const [dataDir, sessionId, name, count] = process.argv.slice(2)
await using parley = await createParley({ dataDir })
for (let index = 0; index < Number(count); index++)
  await parley.sessions.append(sessionId!, { role: 'user', content: `${name} ${index}` })

/** Something set-up cannot provide. The message is the one sentence the user reads: what, why, what to do. */
export class SetupFailure extends Error {}

/** Ends the process with the code `script` answers. A set-up failure is one sentence; a bug keeps its stack. */
export async function runScript(script) {
  try {
    const code = await script()
    if (code !== undefined) process.exitCode = code
  } catch (error) {
    report(error)
    process.exitCode = 1
  }
}

export function report(error) {
  process.stderr.write(`${error instanceof SetupFailure ? error.message : (error?.stack ?? error)}\n`)
}

export function progress(line) {
  process.stderr.write(`${line}\n`)
}

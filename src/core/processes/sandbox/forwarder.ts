/** Inside the sandbox, where there is no network but this port: programs know how to use a proxy on one. */
const port = 3128

export const proxyVariables: Record<string, string> = {
  ...Object.fromEntries(
    ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [
      name,
      `http://127.0.0.1:${port}`,
    ]),
  ),
  NODE_USE_ENV_PROXY: '1',
}

/** Arguments for Node that connect the port with the socket, and then run the command that follows them. */
export const forwarderArgs = (socket: string): string[] => [
  '--eval',
  `(${forward.toString()})(${port}, ${JSON.stringify(socket)})`,
  '--',
]

/** Runs in a process of its own, as text: whatever it needs is in it. */
function forward(listenOn: number, socket: string): void {
  const { createServer, connect } = process.getBuiltinModule('node:net')
  const { spawn } = process.getBuiltinModule('node:child_process')
  const [program = '', ...args] = process.argv.slice(1)
  const server = createServer((from) => {
    const to = connect(socket)
    from.on('error', () => to.destroy())
    to.on('error', () => from.destroy())
    from.pipe(to).pipe(from)
  })
  server.listen(listenOn, '127.0.0.1', () => {
    const child = spawn(program, args, { stdio: 'inherit' })
    child.on('error', (error) => {
      process.stderr.write(`${error.message}\n`)
      process.exit(127)
    })
    child.on('exit', (code, signal) =>
      process.exit(code ?? 128 + process.getBuiltinModule('node:os').constants.signals[signal!]),
    )
  })
}

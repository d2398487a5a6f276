// Runs programs of this repository.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export const bin = (name) => join(root, 'node_modules/.bin', name)

/** The exit code. A live child prints as it goes; the output of other children is printed once they end. */
export function run(command, args, { isLive = false, env = {} } = {}) {
  return new Promise((resolve) => {
    const stdio = isLive ? 'inherit' : ['ignore', 'pipe', 'pipe']
    const child = spawn(command, args, { cwd: root, stdio, env: { ...process.env, ...env } })
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => output.push(bytes))
    const end = (code) => {
      process.stdout.write(Buffer.concat(output))
      resolve(code)
    }
    child.on('error', () => end(127))
    child.on('close', (code) => end(code ?? 1))
  })
}

/** A person at a terminal that is none: commands run in this process and believe what they are told of it. */
import { resolve } from 'node:path'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../packages/kube/src/env/node/nodelog.ts'
import type { HostProcess } from '../../packages/lockstep/src/cli/kit/command.ts'
import { run } from '../../packages/lockstep/src/cli/program.ts'
import type { Ran } from './lockstep.ts'

export interface PersonSession {
  /** Absent: output goes into a pipe. */
  readonly columns?: number
  readonly variables?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: string
  /** What they type when they are asked; absent: nobody is there to be asked. */
  readonly answer?: string
  /** The terminal behind all redirections. */
  readonly tty?: (text: string) => void
  readonly signal?: AbortSignal
  readonly heard?: (out: string, err: string) => void
}

/** Runs one command line there. */
export async function sit(args: readonly string[], seat: PersonSession): Promise<Ran> {
  let [out, err] = ['', '']
  const host: HostProcess = {
    root: resolve('.'),
    manifest: resolve('packages/lockstep/package.json'),
    cwd: seat.cwd ?? resolve('.'),
    home: '/nonexistent',
    serviceAccount: '/nonexistent',
    hostname: 'desk',
    node: process.versions.node,
    execPath: process.execPath,
    variables: { LANG: 'C.UTF-8', TERM: 'xterm', ...seat.variables },
    stdout: {
      isTty: seat.columns !== undefined,
      columns: seat.columns,
      rows: seat.columns === undefined ? undefined : 24,
      write(text) {
        out += text
        seat.heard?.(out, err)
      },
    },
    stderr: {
      write(text) {
        err += text
        seat.heard?.(out, err)
      },
    },
    stdin: {
      isTty: seat.answer !== undefined,
      read: async () => seat.input ?? '',
      line: async () => seat.answer,
    },
    ...(seat.tty ? { tty: seat.tty } : {}),
    signal: seat.signal ?? new AbortController().signal,
    env: async ({ level, format }) => createNodeEnv(nodeLog(level, format)),
  }
  const code = await run(args, host)
  return { code, out, err }
}

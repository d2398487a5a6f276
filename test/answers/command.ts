/** Command lines of a user, in this process and in the virtual time of a simulated hub. */
import type { SimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { allCommands } from '../../packages/lockstep/src/cli/commands/index.ts'
import type { HostProcess } from '../../packages/lockstep/src/cli/kit/command.ts'
import { kubeconfigOf } from '../../packages/lockstep/src/cli/kit/localfleet/localfleet.ts'
import { run } from '../../packages/lockstep/src/cli/program.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'

const KUBECONFIG = '/kubeconfig'

export interface CommandRun {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command line in the namespace of the tests, to its end. */
export async function runCommand(env: SimEnv, ...words: readonly string[]): Promise<CommandRun> {
  // A module that is loaded takes real time, of which a virtual clock knows nothing.
  await allCommands()
  const config = kubeconfigOf(['hub'], (name) => ({ url: `https://${name}.test` }))
  await env.files.writeAtomic(KUBECONFIG, config)
  const out: string[] = []
  const err: string[] = []
  const host: HostProcess = {
    root: '/',
    manifest: '/package.json',
    cwd: '/',
    home: '/nonexistent',
    serviceAccount: '/nonexistent',
    hostname: 'desk',
    node: process.versions.node,
    execPath: process.execPath,
    variables: { KUBECONFIG },
    stdout: { isTty: false, columns: undefined, rows: undefined, write: (text) => void out.push(text) },
    stderr: { write: (text) => void err.push(text) },
    stdin: { isTty: false, read: async () => '', line: async () => undefined },
    signal: new AbortController().signal,
    env: async () => env,
  }
  let code: number | undefined
  const place = words.includes('-n') ? [] : ['-n', NAMESPACE]
  const running = run([...words, ...place], host).then((c) => {
    code = c
  })
  await env.clock.run(() => code !== undefined)
  await running
  return { code: code!, out: out.join(''), err: err.join('') }
}

/**
 * The real Cluster API: its manager as a process beside real API servers, for one release after the other.
 *
 * `LOCKSTEP_CAPI_MANAGERS` names a folder with `<release>/manager` and `<release>/crds/*.yaml`, where release is 1.8, 1.9 or 1.14: what
 * `go build` makes of a release's sources, and their `config/crd/bases` (1.14: `core/config/crd/bases`). Nothing of it is in this
 * repository. Its webhooks are not registered; election is off, because outside of a cluster it does not know its namespace
 * (`clusterapilease.ts` keeps its Lease).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type JsonObject, type KubeObject, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import type { ClusterApiVersion } from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import { clusterApiDefinitions } from '../../packages/simulators/src/clusterapi/definitions.cases.ts'
import { kubeconfigFor } from '../../packages/simulators/src/clusterapi/stage.cases.ts'

/** Where each version's release is to be found. */
const FOLDERS: Readonly<Record<ClusterApiVersion, string>> = { '1.8': '1.8', '1.9': '1.9', '1.13': '1.14' }

export interface ManagerFiles {
  readonly version: ClusterApiVersion
  readonly program: string
  readonly definitions: readonly JsonObject[]
}

/** Undefined: there is none of this version. */
export function findManager(version: ClusterApiVersion): ManagerFiles | undefined {
  const root = process.env.LOCKSTEP_CAPI_MANAGERS
  if (root === undefined) return undefined
  const folder = join(root, FOLDERS[version])
  const program = join(folder, 'manager')
  if (!existsSync(program)) return undefined
  return { version, program, definitions: definitionsIn(folder) }
}

function definitionsIn(folder: string): readonly JsonObject[] {
  const crds = join(folder, 'crds')
  const files = readdirSync(crds).filter((f) => f.endsWith('.yaml'))
  return files.flatMap((f) => parseYamlStream(readFileSync(join(crds, f), 'utf8'))) as readonly JsonObject[]
}

/** Those of Cluster API that Lockstep has to do with: its own ones where they are, also without a manager, else the simulated ones. */
export function clusterApiCrds(version: ClusterApiVersion): {
  readonly whose: string
  readonly definitions: readonly KubeObject[]
} {
  const simulated = clusterApiDefinitions(version)
  const root = process.env.LOCKSTEP_CAPI_MANAGERS
  const folder = join(root ?? '', FOLDERS[version])
  if (root === undefined || !existsSync(join(folder, 'crds')))
    return { whose: 'simulated', definitions: simulated }
  const names = new Set(simulated.map((d) => d.metadata.name))
  const real = definitionsIn(folder) as unknown as readonly KubeObject[]
  return { whose: "Cluster API's", definitions: real.filter((d) => names.has(d.metadata.name)) }
}

export interface ManagerProcess {
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

const READY_MS = 60_000

/** Starts it on the hub that `url` leads to; resolved when it is ready. */
export async function startManager(files: ManagerFiles, url: string): Promise<ManagerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-capi-'))
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, JSON.stringify(kubeconfigFor(url)), { mode: 0o600 })
  certificate(folder)
  const [webhook, health, diagnostics] = [await freePort(), await freePort(), await freePort()]
  const child = spawn(
    files.program,
    [
      `--kubeconfig=${kubeconfig}`,
      `--webhook-cert-dir=${folder}`,
      `--webhook-port=${webhook}`,
      `--health-addr=127.0.0.1:${health}`,
      `--diagnostics-address=127.0.0.1:${diagnostics}`,
      '--insecure-diagnostics',
      ...(files.version === '1.13' ? [] : ['--feature-gates=ClusterResourceSet=true']),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const log = { text: '' }
  child.stderr?.on('data', (text: Buffer) => {
    log.text = (log.text + text.toString()).slice(-4000)
  })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  await ready(child, `http://127.0.0.1:${health}/readyz`, log)
  return {
    async end(signal) {
      await ended(child, signal)
      process.off('exit', kill)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Its webhook server wants one, though nobody calls it. */
function certificate(folder: string): void {
  const line = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout tls.key -out tls.crt'
  execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'ignore' })
}

async function ready(child: ChildProcess, url: string, log: { readonly text: string }): Promise<void> {
  const deadline = Date.now() + READY_MS
  while (Date.now() < deadline && child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.status === 200) return
    await pause(100)
  }
  child.kill('SIGKILL')
  throw new Error(`Cluster API's manager is not ready; its last words: ${log.text}`)
}

async function ended(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  const patience = setTimeout(() => child.kill('SIGKILL'), 35_000)
  await over
  clearTimeout(patience)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

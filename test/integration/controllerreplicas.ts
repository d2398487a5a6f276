/** `lockstep controller` as processes of their own, several for one hub. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const PATIENCE_MS = 60_000

/** A third of what it is by default: cases wait for it. */
export const LEASE_SECONDS = 5

const OFTEN = '--leader-elect-retry-period=500ms'
const FLAGS = {
  /** `LEASE_SECONDS`, which is too short for promotions. */
  quick: [`--leader-elect-lease-duration=${LEASE_SECONDS}s`, '--leader-elect-renew-deadline=3s', OFTEN],
  /** As long as by default. */
  usual: [],
  /** Longer than anybody here waits for what is said. */
  endless: [`--leader-elect-lease-duration=${(5 * PATIENCE_MS) / 1000}s`, OFTEN],
} as const

/** How long a Lease lasts that is not renewed. */
export type LeaseLength = keyof typeof FLAGS

interface ReplicaLogLine {
  readonly level: string | number
  readonly msg: string
  readonly [field: string]: unknown
}

export interface Replica {
  /** As the Lease names it; empty before it takes part. */
  readonly identity: string
  /** The first line of its log with this message; waits for it. */
  said(message: string): Promise<ReplicaLogLine>
  /** Its log so far. */
  readonly lines: readonly ReplicaLogLine[]
  kill(signal: NodeJS.Signals): void
  /** What is written of an error goes to standard error, as its log does. */
  readonly ended: Promise<{ readonly code: number | null; readonly words: string }>
}

/** Settings of one replica. */
export interface ReplicaOptions {
  readonly args?: readonly string[]
  /** Its name in the folder; default `kubeconfig`. */
  readonly kubeconfig?: string
  /** Files of a Pod in this folder of the folder, and its API server, in place of a kubeconfig. */
  readonly pod?: { readonly folder: string; readonly url: string }
  /** Message that ends its start; default: that it leads, or waits. */
  readonly until?: string
}

const PRELOAD = resolve('test/e2e/podpreload.js')

/** A folder with the hub's kubeconfig, and all that runs in it. */
export class ControllerReplicas {
  readonly folder = mkdtempSync(join(tmpdir(), 'lockstep-replicas-'))
  private readonly lease: string
  private readonly flags: readonly string[]
  private readonly all: Replica[] = []

  /** `lease`: a name of this case's own. */
  constructor(kubeconfig: string, lease: string, length: LeaseLength) {
    this.lease = lease
    this.flags = FLAGS[length]
    this.write('kubeconfig', kubeconfig)
  }

  /** Replaces a file of the folder, as a kubelet does: readers see the old or the new one. */
  write(name: string, text: string): void {
    const path = join(this.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.new`, text, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }

  /** Resolves once it says that it leads, or who does. */
  async start({
    args: more = [],
    kubeconfig = 'kubeconfig',
    pod,
    until,
  }: ReplicaOptions = {}): Promise<Replica> {
    const args = [
      'controller',
      ...(pod ? [] : ['--kubeconfig', kubeconfig]),
      '--allow-host',
      '127.0.0.0/8',
      ...this.flags,
      '--leader-elect-resource-name',
      this.lease,
      ...more,
    ]
    const child = spawn(process.execPath, [resolve('packages/lockstep/bin/lockstep.js'), ...args], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, HOME: this.folder, ...(pod ? this.podVariables(pod) : {}) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const lines: ReplicaLogLine[] = []
    let [rest, words] = ['', '']
    const waiting = new Set<() => void>()
    const news = (): void => {
      for (const look of waiting) look()
    }
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop()!
      for (const part of parts)
        if (part.startsWith('{')) lines.push(JSON.parse(part))
        else words += `${part}\n`
      news()
    })
    const ended = new Promise<{ code: number | null; words: string }>((done) =>
      child.on('close', (code) => done({ code, words })),
    )
    const said = (message: string): Promise<ReplicaLogLine> =>
      new Promise((found, failed) => {
        const late = setTimeout(
          () => failed(new Error(`not said: ${message}; but: ${words}${lines.map((l) => l.msg).join(', ')}`)),
          PATIENCE_MS,
        )
        const look = (): void => {
          const line = lines.find((l) => l.msg === message)
          if (!line) return
          clearTimeout(late)
          waiting.delete(look)
          found(line)
        }
        waiting.add(look)
        look()
      })
    const first = await (until ? said(until) : Promise.race([said('leads'), said('waits')]))
    const replica = {
      identity: String(first.identity ?? ''),
      said,
      lines,
      kill: (signal: NodeJS.Signals) => void child.kill(signal),
      ended,
    }
    this.all.push(replica)
    return replica
  }

  private podVariables({ folder, url }: NonNullable<ReplicaOptions['pod']>): NodeJS.ProcessEnv {
    const { hostname, port } = new URL(url)
    return {
      NODE_OPTIONS: `--import ${PRELOAD}`,
      LOCKSTEP_POD: join(this.folder, folder),
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
    }
  }

  async stop(): Promise<void> {
    for (const r of this.all) r.kill('SIGKILL')
    await Promise.all(this.all.map((r) => r.ended))
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/**
 * How git is started: nothing of our environment, no user or system settings, no prompt, no redirect, only the protocol of
 * the URL. Credentials go in by the environment and by private files, never as arguments, which everybody can list.
 */
import {
  bundleOf,
  type Env,
  err,
  ok,
  type ProcessExit,
  type ProcessFailure,
  type Provenance,
  type Result,
} from '@lockstep/kube/env'
import type { GitCredentials, GitTls } from './gitcredentials.ts'
import { type GitRouteFailure, OFFLINE, routeTo } from './gitroute.ts'
import type { GitUrl } from './giturl.ts'

export type GitFailure =
  | ProcessFailure
  | GitRouteFailure
  | { readonly kind: 'Exit'; readonly code: number; readonly stderr: string }

export interface GitRun {
  readonly stdin?: string | Uint8Array
  readonly maxOutput?: number
  /** Beside those of all commands: an index of its own, for example. */
  readonly variables?: Readonly<Record<string, string>>
  /** Milliseconds; absent: as it was opened. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** No protocol at all: what is not in the repository is missing, and is not fetched on the way. */
  readonly offline?: boolean
}

const MiB = 1024 * 1024

export interface GitDoor {
  readonly url: GitUrl
  readonly credentials: GitCredentials
  /** Namespace whose object names the URL. */
  readonly by: Provenance
  readonly timeoutMs: number
  /** Ends all its commands. */
  readonly signal?: AbortSignal
  /** Where private files are; absent: a folder of its own. */
  readonly folder?: string
}

/** One door to one repository with one set of credentials. `close` removes the private files. */
export class GitRunner {
  private readonly env: Env
  private readonly home: string
  private readonly variables: Readonly<Record<string, string>>
  private readonly door: GitDoor

  private constructor(env: Env, door: GitDoor, home: string, variables: Record<string, string>) {
    this.env = env
    this.door = door
    this.home = home
    this.variables = variables
  }

  static async open(env: Env, door: GitDoor): Promise<Result<GitRunner, string>> {
    const { url, credentials, folder } = door
    const home = folder === undefined ? await env.files.tempDir('lockstep-git-') : ok(folder)
    if (!home.ok) return err(home.error.message)
    const settings = await settingsOf(env, url, credentials, home.value)
    if (!settings.ok) {
      await env.files.removeTree(home.value)
      return settings
    }
    return ok(new GitRunner(env, door, home.value, settings.value))
  }

  async run(args: readonly string[], o: GitRun = {}): Promise<Result<Uint8Array, GitFailure>> {
    const done = await this.attempt(args, o)
    if (!done.ok) return done
    if (done.value.code === 0) return ok(done.value.stdout)
    return err({ kind: 'Exit', code: done.value.code, stderr: done.value.stderr })
  }

  /** Also for commands whose exit code is an answer. */
  async attempt(args: readonly string[], o: GitRun = {}): Promise<Result<ProcessExit, GitFailure>> {
    const route = o.offline ? ok(OFFLINE) : await routeTo(this.env.net, this.door, this.variables)
    if (!route.ok) return route
    const { settings, variables } = route.value
    const signal = o.signal ?? this.door.signal
    return this.env.processes.run('git', ['-c', 'protocol.allow=never', ...settings, ...HARDENED, ...args], {
      env: { ...this.variables, ...variables, ...o.variables },
      timeoutMs: o.timeoutMs ?? this.door.timeoutMs,
      maxOutput: o.maxOutput ?? 16 * MiB,
      memory: MEMORY,
      ...(signal ? { signal } : {}),
      ...(o.stdin === undefined ? {} : { stdin: o.stdin }),
    })
  }

  async close(): Promise<void> {
    await this.env.files.removeTree(this.home)
  }
}

/** A server decides how much git reads: a list of references, a pack whose objects unfold. */
const MEMORY = { bytes: 1024 * MiB, fileBytes: 128 * MiB }

const HARDENED = [
  'core.packedGitLimit=256m',
  'http.followRedirects=false',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'credential.helper=',
  'transfer.fsckObjects=true',
  'fetch.recurseSubmodules=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=20',
].flatMap((setting) => ['-c', setting])

async function settingsOf(
  env: Env,
  url: GitUrl,
  credentials: GitCredentials,
  home: string,
): Promise<Result<Record<string, string>, string>> {
  const variables: Record<string, string> = {
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
  }
  const file = async (name: string, text: string): Promise<Result<string, string>> => {
    const path = `${home}/${name}`
    const written = await env.files.writeAtomic(path, text, 0o600)
    return written.ok ? ok(path) : err(written.error.message)
  }
  if (credentials.type === 'ssh') {
    const [key, hosts] = [
      await file('identity', credentials.identity),
      await file('known_hosts', credentials.knownHosts),
    ]
    if (!key.ok) return key
    if (!hosts.ok) return hosts
    return ok({ ...variables, GIT_SSH_VARIANT: 'ssh', GIT_SSH_COMMAND: sshCommand(key.value, hosts.value) })
  }
  const config: [string, string][] = []
  if (credentials.type === 'header')
    config.push([`http.${url.origin}/.extraHeader`, `Authorization: ${credentials.value}`])
  const { ca, ...tls } = credentials.tls ?? {}
  const texts = { ...tls, ca: bundleOf(env.net.egress, ca) }
  for (const [setting, name] of TLS_SETTINGS) {
    const text = texts[name]
    if (text === undefined) continue
    const path = await file(name, text)
    if (!path.ok) return path
    config.push([`http.${setting}`, path.value])
  }
  return ok({ ...variables, ...configVariables(config) })
}

const TLS_SETTINGS: readonly (readonly [string, keyof GitTls])[] = [
  ['sslCAInfo', 'ca'],
  ['sslCert', 'cert'],
  ['sslKey', 'key'],
]

function configVariables(config: readonly (readonly [string, string])[]): Record<string, string> {
  const out: Record<string, string> = { GIT_CONFIG_COUNT: String(config.length) }
  for (const [i, [key, value]] of config.entries()) {
    out[`GIT_CONFIG_KEY_${i}`] = key
    out[`GIT_CONFIG_VALUE_${i}`] = value
  }
  return out
}

/** git hands this to a shell: the paths are ours, and are quoted all the same. */
function sshCommand(identity: string, knownHosts: string): string {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
  const options = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    `UserKnownHostsFile=${quote(knownHosts)}`,
    'GlobalKnownHostsFile=/dev/null',
    'StrictHostKeyChecking=yes',
    'CheckHostIP=no',
    'ConnectTimeout=10',
  ]
  return `ssh -F /dev/null -i ${quote(identity)} ${options.map((o) => `-o ${o}`).join(' ')}`
}

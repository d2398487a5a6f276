/** Runs the real bin. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const BIN = resolve('packages/lockstep/bin/lockstep.js')
/** A test that has failed leaves nothing behind that goes on for ever. */
const LONGEST_MS = 120_000

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface LockstepRunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string
  readonly cwd?: string
}

/** Surroundings without anything of the machine that runs the test. */
export const surroundings = (more: LockstepRunOptions['env'] = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
  TERM: 'xterm',
  ...more,
})

export function lockstep(args: readonly string[], o: LockstepRunOptions = {}): Promise<Ran> {
  return new Promise((done) => {
    const options = { env: surroundings(o.env), cwd: o.cwd ?? process.cwd(), timeout: LONGEST_MS }
    const child = execFile(process.execPath, [BIN, ...args], options, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err })
    })
    child.stdin?.end(o.input ?? '')
  })
}

export interface ServedFleet {
  readonly kubeconfig: string
  readonly folder: string
  readonly output: () => string
  /** Interrupts it, as Ctrl-C does; its exit code. */
  stop(): Promise<number | null>
}

/** `lockstep up` on a free port. `more`: further arguments. */
export async function startFleet(clusters: number, ...more: readonly string[]): Promise<ServedFleet> {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-e2e-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const args = [BIN, 'up', '--clusters', String(clusters), '--kubeconfig-out', kubeconfig, ...more]
  const child = spawn(process.execPath, args, { env: surroundings(), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const ended = new Promise<number | null>((done) => child.on('exit', (code) => done(code)))
  await new Promise<void>((ready, failed) => {
    const hear = (text: string): void => {
      output += text
      if (output.includes('In another terminal')) ready()
    }
    child.stdout.setEncoding('utf8').on('data', hear)
    child.stderr.setEncoding('utf8').on('data', hear)
    void ended.then(() => failed(new Error(`lockstep up ended: ${output}`)))
  })
  return { kubeconfig, folder, output: () => output, stop: () => stop(child, ended, folder) }
}

async function stop(
  child: ChildProcess,
  ended: Promise<number | null>,
  folder: string,
): Promise<number | null> {
  child.kill('SIGINT')
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
  const code = await ended
  clearTimeout(late)
  rmSync(folder, { recursive: true, force: true })
  return code
}

/** Runs until `seen` is in its output, or until `when`; then interrupts, as Ctrl-C does. */
export function interrupted(
  args: readonly string[],
  kubeconfig: string,
  seen: string | Promise<unknown>,
  o: Pick<LockstepRunOptions, 'cwd'> = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: surroundings({ KUBECONFIG: kubeconfig }),
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
    ...o,
  })
  let [out, err] = ['', '']
  const stop = (): void => void child.kill('SIGINT')
  const look = (text: string): void => {
    if (typeof seen === 'string' && text.includes(seen)) stop()
  }
  if (typeof seen !== 'string') void seen.then(stop)
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    look(out)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
    look(err)
  })
  return new Promise((done) => child.on('close', (code) => done({ code: code ?? -1, out, err })))
}

/** Runs, and stops reading after the first piece of output, as `lockstep … | head -1` does; `then` comes after that. */
export function headOf(args: readonly string[], kubeconfig: string, then = (): void => {}): Promise<Ran> {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: surroundings({ KUBECONFIG: kubeconfig }),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').once('data', (text: string) => {
    out = text
    child.stdout.destroy()
    then()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  return new Promise((done) => child.on('close', (code) => done({ code: code ?? -1, out, err })))
}

const MOST_ASKED = 120

/** Asks again, twice a second, until it holds. */
export async function eventually(
  holds: () => Promise<boolean>,
  what: string,
  found = (): string => '',
): Promise<void> {
  for (let asked = 0; !(await holds()); asked++) {
    if (asked === MOST_ASKED) throw new Error(`does not hold: ${what}\n${found()}`)
    await new Promise((r) => setTimeout(r, 500))
  }
}

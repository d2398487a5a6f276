/** The composition root: the one place, apart from `env/node`, that knows the process. */
import { setMaxListeners } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { type Env, silentLog } from '@lockstep/kube/env'
import { printable, printableLines } from '@lockstep/kube/object'
import type { HostProcess, LogSettings } from './kit/index.ts'
import { run } from './program.ts'

const INTERRUPTED = 130
/** Folder that a Pod has of its ServiceAccount (client-go `rest.InClusterConfig`). */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * Garbage that may be added between two full collections, as percent of the live heap. V8 by itself lets it grow to several
 * times the heap: a controller of 200 clusters took 470 MiB instead of 330, with the same CPU.
 */
const MOST_GARBAGE_PERCENT = 40

/** Runs the command line and ends the process with its exit code. */
export async function main(
  argv: readonly string[],
  places: Pick<HostProcess, 'root' | 'manifest' | 'typedAs'>,
): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${MOST_GARBAGE_PERCENT}`)
  // Whoever reads our output may stop reading: that is no error (`lockstep get modules | head`).
  process.stdout.on('error', (e: NodeJS.ErrnoException) => process.exit(e.code === 'EPIPE' ? 0 : 3))
  process.stderr.on('error', () => {})
  // Requests that run at once share one signal: many listeners are no leak.
  setMaxListeners(0)
  const exceptions = catchExceptions(argv)
  let code: number
  try {
    code = await run(argv, { ...hostOf(places), onException: exceptions })
  } catch (e) {
    code = bug(e, argv)
  }
  process.stdout.write('', () => process.exit(code))
}

function hostOf(places: Pick<HostProcess, 'root' | 'manifest' | 'typedAs'>): HostProcess {
  return {
    ...places,
    cwd: process.cwd(),
    home: homedir(),
    serviceAccount: SERVICE_ACCOUNT,
    hostname: hostname(),
    node: process.versions.node,
    execPath: process.execPath,
    variables: process.env,
    stdout: {
      isTty: process.stdout.isTTY === true,
      columns: process.stdout.columns,
      rows: process.stdout.rows,
      write: (text) => {
        process.stdout.write(text)
      },
    },
    stderr: {
      write: (text) => {
        process.stderr.write(text)
      },
    },
    stdin: { isTty: process.stdin.isTTY === true, read: readAll, line: nextLine },
    tty: writeToTerminal,
    signal: interruptions(),
    env,
  }
}

/** Loaded when it is wanted: help needs no network. */
async function env({ level, format }: LogSettings): Promise<Env> {
  const { createNodeEnv } = await import('@lockstep/kube/node')
  if (level === 'silent') return createNodeEnv(silentLog)
  const { nodeLog } = await import('@lockstep/kube/node')
  return createNodeEnv(nodeLog(level, format))
}

function writeToTerminal(text: string): void {
  try {
    const terminal = openSync('/dev/tty', 'r+')
    writeSync(terminal, text)
    closeSync(terminal)
  } catch {
    // Nobody sits there.
  }
}

/** The first Ctrl-C asks everything to stop, the second does not ask. The reason is the name of the signal. */
function interruptions(): AbortSignal {
  const controller = new AbortController()
  const stop = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED)
    controller.abort(signal)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}

async function readAll(): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

/** Waits for Enter. */
function nextLine(signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = createInterface({ input: process.stdin })
    const done = (line?: unknown): void => {
      signal.removeEventListener('abort', done)
      // Closing is an event of its own.
      resolve(typeof line === 'string' ? line : undefined)
      reader.close()
    }
    signal.addEventListener('abort', done, { once: true })
    reader.once('line', done)
    reader.once('close', done)
  })
}

/** Takes exceptions that no code has caught. Returns a function that sets their handler. */
function catchExceptions(argv: readonly string[]): NonNullable<HostProcess['onException']> {
  let handler: ((error: unknown) => void) | undefined
  const take = (e: unknown): void => {
    if (handler) {
      handler(e)
      return
    }
    const code = bug(e, argv)
    process.stderr.write('', () => process.exit(code))
  }
  process.on('uncaughtException', take)
  process.on('unhandledRejection', take)
  return (next) => {
    handler = next
    return () => {
      handler = undefined
    }
  }
}

/** Codes of errors by which the machine refuses a resource, and what to do. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: 'the process has too many open files: raise the limit (ulimit -n)',
  ENFILE: 'the machine has too many open files: close programs, or raise fs.file-max',
  ENOSPC: 'the disk is full, or the limit of file watches is reached: free space',
  ENOMEM: 'the machine has no free memory: free memory, or raise the limit of the process',
  EAGAIN: 'the machine starts no more processes or threads: raise the limit (ulimit -u)',
}

/** Reports an unexpected error: one line for people, with -v the place in the code. */
function bug(e: unknown, argv: readonly string[]): number {
  const error = e instanceof Error ? e : new Error(String(e))
  const isVerbose = argv.includes('-v') || argv.includes('--verbose')
  process.stderr.write(`error: ${printable(error.message)}\n`)
  const exhausted = EXHAUSTED[(error as NodeJS.ErrnoException).code ?? '']
  if (isVerbose) process.stderr.write(`${printableLines(error.stack ?? '')}\n`)
  else if (exhausted) process.stderr.write(`hint: ${exhausted}\n`)
  else process.stderr.write('hint: this is a bug in Lockstep; report it with the output of -v\n')
  return 3
}

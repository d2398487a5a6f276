import { type ChildProcess, spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProcessExit, Processes, ProcessFailure, ProcessOptions } from '../processes.ts'
import { err, ok, type Result } from '../result.ts'

const MAX_STDERR = 64 * 1024

export const nodeProcesses: Processes = {
  async find(program) {
    for (const dir of (process.env.PATH ?? '').split(':').filter((d) => d !== '')) {
      const path = join(dir, program)
      const isThere = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
      if (isThere) return path
    }
    return undefined
  },
  run(program, args, options) {
    if (options.signal?.aborted) return Promise.resolve(err({ kind: 'Aborted', program }))
    return new Promise((resolve) => new RunningProcess(program, args, options, resolve))
  },
}

/** One program from its start to its end: collects what it says, and ends it at the first limit. */
class RunningProcess {
  private readonly program: string
  private readonly options: ProcessOptions
  private readonly child: ChildProcess
  private readonly resolve: (r: Result<ProcessExit, ProcessFailure>) => void
  private readonly timer: NodeJS.Timeout
  private readonly out: Buffer[] = []
  private outBytes = 0
  private stderr = ''
  private failure: ProcessFailure | undefined
  private readonly abort = () => this.fail({ kind: 'Aborted', program: this.program })

  constructor(
    program: string,
    args: readonly string[],
    options: ProcessOptions,
    resolve: (r: Result<ProcessExit, ProcessFailure>) => void,
  ) {
    this.program = program
    this.options = options
    this.resolve = resolve
    // A group of its own: what it started itself is ended with it.
    this.child = spawn(program, args, { cwd: options.cwd, env: withPath(options.env), detached: true })
    this.timer = setTimeout(
      () => this.fail({ kind: 'TimedOut', program, ms: options.timeoutMs }),
      options.timeoutMs,
    )
    options.signal?.addEventListener('abort', this.abort, { once: true })
    this.child.on('error', (e: NodeJS.ErrnoException) => {
      // EACCES: a folder of the PATH may not be looked into, or what is there may not be run.
      this.failure ??=
        e.code === 'ENOENT' || e.code === 'EACCES'
          ? { kind: 'ToolMissing', program }
          : { kind: 'Crashed', program, detail: e.message }
      this.end(-1)
    })
    this.child.on('close', (code, signal) => {
      if (code === null) this.failure ??= { kind: 'Crashed', program, detail: `ended by ${signal}` }
      this.end(code ?? -1)
    })
    this.child.stdout!.on('data', (chunk: Buffer) => this.keep(chunk))
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-MAX_STDERR)
    })
    // A program may end before it has read everything.
    this.child.stdin!.on('error', () => {})
    this.child.stdin!.end(options.stdin ?? '')
  }

  private keep(chunk: Buffer): void {
    this.outBytes += chunk.length
    if (this.outBytes > this.options.maxOutput)
      this.fail({ kind: 'TooMuchOutput', program: this.program, limit: this.options.maxOutput })
    else this.out.push(chunk)
  }

  private fail(failure: ProcessFailure): void {
    this.failure ??= failure
    const { pid } = this.child
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended already: 'close' follows.
    }
  }

  private end(code: number): void {
    clearTimeout(this.timer)
    this.options.signal?.removeEventListener('abort', this.abort)
    this.resolve(
      this.failure
        ? err(this.failure)
        : ok({ code, stdout: new Uint8Array(Buffer.concat(this.out)), stderr: this.stderr }),
    )
  }
}

const withPath = (env: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  ...env,
})

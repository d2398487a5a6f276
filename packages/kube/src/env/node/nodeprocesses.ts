import { type ChildProcess, spawn } from 'node:child_process'
import type { ProcessExit, Processes, ProcessFailure, ProcessOptions } from '../processes.ts'
import { err, ok, type Result } from '../result.ts'
import { limitedCommand, programOn, residentBytes } from './limitedcommand.ts'

const MAX_STDERR = 64 * 1024
/** Errors of git, Go and the C library. Lines that begin with a time are logs: helm succeeds in spite of them. */
const OUT_OF_MEMORY = /^(?!\d).*(?:out of memory|cannot allocate memory|memory exhausted)/im

/** Interval of memory samples. */
const SAMPLE_MS = 250

export const nodeProcesses: Processes = {
  find: (program) => programOn(process.env.PATH ?? '', program),
  async run(program, args, options) {
    if (options.signal?.aborted) return err({ kind: 'Aborted', program })
    const { memory } = options
    if (!memory) return running(program, [program, args], options)
    const path = await programOn(variablesOf(options).PATH ?? '', program)
    if (path === undefined) return err({ kind: 'ToolMissing', program })
    return running(program, limitedCommand(path, args, memory), options)
  },
}

const running = (
  program: string,
  command: readonly [string, readonly string[]],
  options: ProcessOptions,
): Promise<Result<ProcessExit, ProcessFailure>> =>
  new Promise((resolve) => new RunningProcess(program, command, options, resolve))

/** One program from its start to its end: collects what it says, and ends it at the first limit. */
class RunningProcess {
  private readonly program: string
  private readonly options: ProcessOptions
  private readonly child: ChildProcess
  private readonly resolve: (r: Result<ProcessExit, ProcessFailure>) => void
  private readonly timer: NodeJS.Timeout
  private sampler: NodeJS.Timeout | undefined
  private readonly out: Buffer[] = []
  private outBytes = 0
  private stderr = ''
  private failure: ProcessFailure | undefined
  private readonly abort = () => this.fail({ kind: 'Aborted', program: this.program })

  constructor(
    program: string,
    [command, args]: readonly [string, readonly string[]],
    options: ProcessOptions,
    resolve: (r: Result<ProcessExit, ProcessFailure>) => void,
  ) {
    this.program = program
    this.options = options
    this.resolve = resolve
    this.child = spawn(command, args, {
      cwd: options.cwd,
      env: variablesOf(options),
      stdio: [isAsking(options) ? 'inherit' : 'pipe', 'pipe', options.terminal ? 'inherit' : 'pipe'],
      // A group of its own: what it started itself is ended with it. Only the group of the terminal may read from it.
      detached: !isAsking(options),
    })
    this.timer = setTimeout(
      () => this.fail({ kind: 'TimedOut', program, ms: options.timeoutMs }),
      options.timeoutMs,
    )
    if (options.memory) this.sampler = setInterval(() => this.sample(), SAMPLE_MS)
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
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-MAX_STDERR)
    })
    // A program may end before it has read everything.
    this.child.stdin?.on('error', () => {})
    this.child.stdin?.end(options.stdin ?? '')
  }

  private keep(chunk: Buffer): void {
    this.outBytes += chunk.length
    if (this.outBytes > this.options.maxOutput)
      this.fail({ kind: 'TooMuchOutput', program: this.program, limit: this.options.maxOutput })
    else this.out.push(chunk)
  }

  private sample(): void {
    const { memory } = this.options
    const { pid } = this.child
    if (memory && pid !== undefined && residentBytes(pid) > memory.bytes)
      this.fail(this.tooMuch(memory.bytes))
  }

  /** A program without more address space ends by itself, and reports it. */
  private outOfMemory(code: number): ProcessFailure | undefined {
    const { memory } = this.options
    return memory && code !== 0 && OUT_OF_MEMORY.test(this.stderr) ? this.tooMuch(memory.bytes) : undefined
  }

  private tooMuch(limit: number): ProcessFailure {
    return { kind: 'TooMuchMemory', program: this.program, limit }
  }

  private fail(failure: ProcessFailure): void {
    this.failure ??= failure
    const { pid } = this.child
    try {
      if (pid !== undefined) process.kill(isAsking(this.options) ? pid : -pid, 'SIGKILL')
    } catch {
      // It has ended already: 'close' follows.
    }
  }

  private end(code: number): void {
    clearTimeout(this.timer)
    clearInterval(this.sampler)
    this.failure ??= this.outOfMemory(code)
    this.options.signal?.removeEventListener('abort', this.abort)
    this.resolve(
      this.failure
        ? err(this.failure)
        : ok({ code, stdout: new Uint8Array(Buffer.concat(this.out)), stderr: this.stderr }),
    )
  }
}

/** The program reads from the terminal. */
const isAsking = ({ terminal }: ProcessOptions): boolean => terminal === 'both'

const variablesOf = ({ env, inheritsEnv }: ProcessOptions): NodeJS.ProcessEnv => ({
  ...(inheritsEnv ? process.env : {}),
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  ...env,
})

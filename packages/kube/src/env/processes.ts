/** Other programs, as an interface: started with arguments and an environment of their own, never through a shell. */
import type { Result } from './result.ts'

export interface Processes {
  /** Where a program is on our PATH; undefined: nowhere. */
  find(program: string): Promise<string | undefined>
  /**
   * Runs a program to its end. An exit code other than 0 is an answer, not a failure: what it means, the caller knows.
   * The whole process group is killed when a limit is reached.
   */
  run(
    program: string,
    args: readonly string[],
    options: ProcessOptions,
  ): Promise<Result<ProcessExit, ProcessFailure>>
}

export interface ProcessOptions {
  /** All variables, next to the PATH in which `program` is looked up. */
  readonly env: Readonly<Record<string, string>>
  /** Adds the variables of this process; `env` wins. */
  readonly inheritsEnv?: boolean
  /** Streams of this process that the program uses itself: `stderr` for reports, `both` also standard input. */
  readonly terminal?: 'stderr' | 'both'
  readonly cwd?: string
  readonly stdin?: string | Uint8Array
  /** Milliseconds. */
  readonly timeoutMs: number
  /** Most bytes on standard output. */
  readonly maxOutput: number
  readonly signal?: AbortSignal
  /** Absent: as much as there is. */
  readonly memory?: MemoryLimit
}

/** Limits of a program and its children. Systems without them, as macOS, keep those of time and output. */
export interface MemoryLimit {
  /** Address space of each process, and resident memory of all of them. */
  readonly bytes: number
  /** Size of each file that they write. */
  readonly fileBytes?: number
}

export interface ProcessExit {
  readonly code: number
  readonly stdout: Uint8Array
  /** Its last 64 KiB; empty where the program has the standard error of this process. */
  readonly stderr: string
}

export type ProcessFailure =
  | { readonly kind: 'ToolMissing'; readonly program: string }
  | { readonly kind: 'TimedOut'; readonly program: string; readonly ms: number }
  | { readonly kind: 'TooMuchOutput'; readonly program: string; readonly limit: number }
  | { readonly kind: 'TooMuchMemory'; readonly program: string; readonly limit: number }
  | { readonly kind: 'Aborted'; readonly program: string }
  | { readonly kind: 'Crashed'; readonly program: string; readonly detail: string }

/** Where no program can be started, as in simulations: every program is missing. */
export const noProcesses: Processes = {
  find: async () => undefined,
  run: async (program) => ({ ok: false, error: { kind: 'ToolMissing', program } }),
}

/**
 * The outside world as interfaces. Nothing else in Lockstep knows a clock, chance, the network or files.
 * `env/node` implements it for real, `env/sim` deterministically in virtual time.
 */
import type { Calendar } from './calendar.ts'
import type { GaugeValue, MetricLabels, MetricName } from './metrics.ts'
import type { Net } from './net.ts'
import type { Processes } from './processes.ts'
import type { Result } from './result.ts'
import type { Threads } from './threads.ts'
import type { WatchCount } from './watchcount.ts'

export interface Env {
  readonly clock: Clock
  readonly random: Random
  readonly net: Net
  readonly files: Files
  readonly processes: Processes
  readonly threads: Threads
  readonly log: Log
  readonly meters: Meters
  readonly calendar: Calendar
  /** Receives the exceptions of loops and timers. */
  readonly supervisor: Supervisor
}

/** Receives the exceptions of a scope. */
export interface Supervisor {
  failed(error: unknown): void
}

/** Ends a timer or a subscription; calling it twice is harmless. */
export type Cancel = () => void

export interface Clock {
  /** Wall clock, milliseconds since the epoch. May jump; only for stamps that people read. */
  now(): number
  /** Monotonic milliseconds from an arbitrary start, the same in all threads. All durations are measured with it. */
  steady(): number
  /** Calls `fn` once when `steady()` has reached `steadyMs`. */
  at(steadyMs: number, fn: () => void): Cancel
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number
  bytes(length: number): Uint8Array
  /** RFC 9562 version 4. */
  uuid(): string
  /** An independent stream, stable by name: drawing from one never moves another. */
  fork(name: string): Random
}

export interface FileFailure {
  readonly kind: 'NotFound' | 'Denied' | 'NotAFile' | 'Other'
  readonly path: string
  readonly message: string
}

export interface FileEntry {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'other'
}

export interface Files {
  read(path: string): Promise<Result<Uint8Array, FileFailure>>
  /** Writes beside the target and renames: a reader sees the old or the new content, never a part. `mode` as in chmod. */
  writeAtomic(path: string, content: string | Uint8Array, mode?: number): Promise<Result<void, FileFailure>>
  /** Sorted by name. */
  list(path: string): Promise<Result<FileEntry[], FileFailure>>
  /** The absolute path without links. */
  realPath(path: string): Promise<Result<string, FileFailure>>
  remove(path: string): Promise<Result<void, FileFailure>>
  /** A directory that is empty and that nobody else may read. Removed with everything in it by `removeTree`. */
  tempDir(prefix: string): Promise<Result<string, FileFailure>>
  /** What is not there is removed already. */
  removeTree(path: string): Promise<Result<void, FileFailure>>
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  child(fields: LogFields): Log
}

export type Labels = Readonly<Record<string, string>>

/** Counts what happens. Gauges are computed when they are read. */
export interface Meters {
  count<N extends MetricName<'counter'>>(name: N, labels: MetricLabels<N>, by?: number): void
  observe<N extends MetricName<'histogram'>>(name: N, labels: MetricLabels<N>, value: number): void
  readonly watches: WatchCount
  /**
   * The text of a scrape in the format of Prometheus: all counts, and these gauges. Absent where no metrics are served, as in
   * virtual time.
   */
  readonly expose?: (gauges: Iterable<GaugeValue>) => Promise<string>
}

/** Meters whose samples can be read, with details. */
export interface MemoryMeters extends Meters {
  /** All samples, sorted by name and labels. */
  read(): Sample[]
}

export interface Sample {
  readonly name: string
  readonly labels: Labels
  readonly value: number
  /** Only for `observe`: the number of observations; `value` is their sum. */
  readonly count?: number
}

import type { Env, LogFields } from '../env.ts'

interface OpenProblem {
  readonly reason: string
  /** Steady milliseconds. */
  readonly since: number
}

/** Problems that last: a line when one begins, or has another reason, and one when it ends; none in between. */
export class ProblemLog {
  private readonly env: Pick<Env, 'clock' | 'log'>
  private readonly open = new Map<string, OpenProblem>()

  constructor(env: Pick<Env, 'clock' | 'log'>) {
    this.env = env
  }

  has(key: string): boolean {
    return this.open.has(key)
  }

  /** The problem `key` exists. Its line has the level `warn`. */
  begin(key: string, reason: string, message: string, fields: LogFields = {}): void {
    const { clock, log } = this.env
    const known = this.open.get(key)
    if (known?.reason === reason) return
    this.open.set(key, { reason, since: known?.since ?? clock.steady() })
    log.warn(message, Object.assign({ reason }, fields))
  }

  /** The problem `key` is over. The line says how many seconds it lasted. */
  end(key: string, reason: string, message: string, fields: LogFields = {}): void {
    const { clock, log } = this.env
    const known = this.open.get(key)
    if (!known) return
    this.open.delete(key)
    const took = (clock.steady() - known.since) / 1000
    log.info(message, Object.assign({ reason, took }, fields))
  }

  /** No line: the object with the problem is deleted. */
  forget(key: string): void {
    this.open.delete(key)
  }
}

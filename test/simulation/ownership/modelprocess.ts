/** The process of the ownership model: reconciles that send requests. It dies before or after any of them, and reads all again. */

/** Fate of the request number `at` of one reconcile. `Pause`: others work before it is served. */
export interface Fault {
  readonly at: number
  readonly how: 'Before' | 'After' | 'Pause'
}

interface PausedReconcile {
  readonly unit: string
  readonly done: Promise<void>
  readonly serve: () => void
}

const never = <T>(): Promise<T> => new Promise(() => {})

export class ModelProcess {
  /** Requests, and what else happened: for people. */
  readonly trace: string[] = []
  private readonly forget: () => void
  private fault: Fault | undefined
  private requests = 0
  private isDead = false
  private stop: () => void = () => {}
  private paused: PausedReconcile | undefined
  private pausing: (() => void) | undefined

  /** `forget`: what only the old process knew is lost. */
  constructor(forget: () => void) {
    this.forget = forget
  }

  /** Reconciles a unit until it rests, dies or is paused. One that is paused is left alone. */
  async run(unit: string, work: () => Promise<void>, fault: Fault | undefined): Promise<void> {
    if (this.paused?.unit === unit) return
    this.isDead = false
    this.fault = fault
    this.requests = 0
    const stopped = new Promise<void>((resolve) => {
      this.stop = resolve
    })
    const done = work()
    await Promise.race([done, stopped])
    this.fault = undefined
    const serve = this.pausing
    this.pausing = undefined
    if (serve) this.paused = { unit, done, serve }
  }

  /** The paused request is served, and its reconcile ends. */
  async resume(): Promise<void> {
    const { paused } = this
    if (!paused) return
    this.paused = undefined
    this.isDead = false
    paused.serve()
    await paused.done
  }

  restart(): void {
    this.trace.push('restart')
    this.forget()
    this.paused = undefined
  }

  request<T>(what: string, serve: () => T): Promise<T> {
    if (this.isDead) return never()
    const how = this.fault?.at === this.requests++ ? this.fault.how : undefined
    if (how) this.trace.push(`${how} ${what}`)
    if (how === 'Before') return this.die()
    if (how === 'Pause' && !this.paused) return this.pause(serve)
    const answer = serve()
    return how === 'After' ? this.die() : Promise.resolve(answer)
  }

  private die<T>(): Promise<T> {
    this.isDead = true
    this.restart()
    this.stop()
    return never()
  }

  private pause<T>(serve: () => T): Promise<T> {
    return new Promise((resolve) => {
      this.pausing = () => resolve(serve())
      this.stop()
    })
  }
}

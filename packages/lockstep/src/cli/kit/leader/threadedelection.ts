/** An election that another thread takes part in, for this one. */
import { type Cancel, type Env, supervise, type Thread } from '@lockstep/kube/env'
import {
  BEAT_MS,
  type Election,
  type LeaderTerm,
  SharedTerm,
  type TermEnd,
} from '@lockstep/kube/leaderelection'
import type { Candidacy, ThreadInput, ThreadMessage } from './threadmessage.ts'

/** Bundled beside this (`bin/build.js`). */
const PROGRAM = new URL('./leader.js', import.meta.url).href

export interface ThreadedElection extends Election {
  /** Resolves when the kubeconfig names another hub. */
  readonly moved: Promise<string>
  /** Milliseconds since the thread came round, and since the hub answered it; undefined: never. */
  ages(): ReturnType<SharedTerm['threadAges']>
}

export function threadedElection(env: Env, candidacy: Candidacy): ThreadedElection {
  return new Threaded(env, candidacy)
}

class Threaded implements ThreadedElection {
  readonly elected: Promise<LeaderTerm | undefined>
  readonly ended: Promise<TermEnd>
  readonly moved: Promise<string>
  private readonly env: Env
  private readonly shared: SharedTerm
  private readonly thread: Thread
  private isOver = false
  private begin: (term: LeaderTerm | undefined) => void = () => {}
  private finish: (end: TermEnd) => void = () => {}
  private move: (problem: string) => void = () => {}
  private beating: Cancel = () => {}

  constructor(env: Env, candidacy: Candidacy) {
    this.env = env
    this.shared = new SharedTerm(candidacy.times)
    this.elected = new Promise((resolve) => {
      this.begin = resolve
    })
    this.ended = new Promise((resolve) => {
      this.finish = resolve
    })
    this.moved = new Promise((resolve) => {
      this.move = resolve
    })
    this.beat()
    const input: ThreadInput = { ...candidacy, memory: this.shared.memory }
    this.thread = env.threads.start(PROGRAM, input, (message) => this.hear(message as ThreadMessage))
    supervise(env, async () => this.threadEnded(await this.thread.ended))
  }

  async stop(): Promise<void> {
    const wasOver = this.isOver
    this.isOver = true
    if (!wasOver) this.thread.post('stop')
    await this.ended
    await this.thread.stop()
  }

  ages(): ReturnType<SharedTerm['threadAges']> {
    return this.shared.threadAges(this.env.clock.steady())
  }

  private beat(): void {
    const now = this.env.clock.steady()
    this.shared.beat(now)
    this.beating = this.env.clock.at(now + BEAT_MS, () => this.beat())
  }

  private hear(message: ThreadMessage): void {
    if (message.type === 'leads') this.begin(this.term(message.generation))
    else if (message.type === 'moved') this.move(message.problem)
    else this.over(message.end)
  }

  private over(end: TermEnd): void {
    this.isOver = true
    this.beating()
    this.begin(undefined)
    this.finish(end)
  }

  /** Nobody renews any more. After an end of its own that is no news. */
  private threadEnded(error: string | undefined): void {
    if (!this.isOver && error !== undefined)
      this.env.log.error('the thread that renews the Lease failed', { err: error })
    this.over('NotRenewed')
  }

  private term(generation: number): LeaderTerm {
    const now = () => ({ steady: this.env.clock.steady(), wall: this.env.clock.now() })
    const held = (): boolean => !this.isOver && this.shared.isHeld(now())
    const left = (): number => (this.isOver ? 0 : this.shared.leftMs(now()))
    return {
      generation,
      get isHeld() {
        return held()
      },
      get leftMs() {
        return left()
      },
    }
  }
}

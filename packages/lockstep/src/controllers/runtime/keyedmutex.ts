import { type Env, supervise } from '@lockstep/kube/env'

/**
 * Work in turns: of one key one after the other, since what one learns the next one uses; of all keys no more than so many
 * at once, each key one at a time before any has its next.
 */
export class KeyedMutex {
  private readonly env: Pick<Env, 'supervisor'>
  private readonly most: number
  /** By key, in the order in which it was asked for. */
  private readonly waiting = new Map<string, (() => Promise<unknown>)[]>()
  /** Keys whose turn may come, of which nothing is under way; the one that has waited longest first. */
  private readonly ready = new Set<string>()
  private running = 0

  constructor(env: Pick<Env, 'supervisor'>, most: number) {
    this.env = env
    this.most = most
  }

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const job = async (): Promise<void> => {
        try {
          resolve(await work())
        } catch (error) {
          reject(error)
        }
      }
      const others = this.waiting.get(key)
      if (others) others.push(job)
      else {
        this.waiting.set(key, [job])
        this.ready.add(key)
      }
      this.next()
    })
  }

  private next(): void {
    for (const key of this.ready) {
      if (this.running >= this.most) return
      this.ready.delete(key)
      supervise(this.env, () => this.begin(key))
    }
  }

  private async begin(key: string): Promise<void> {
    this.running++
    await this.waiting.get(key)!.shift()!()
    this.running--
    // As long as it has an entry it has its turn, or is under way.
    if (this.waiting.get(key)!.length > 0) this.ready.add(key)
    else this.waiting.delete(key)
    this.next()
  }
}

/** Writes of assignments that are in progress at once, by all Modules. */
export const MAX_ASSIGNMENT_WRITES = 32

/**
 * I10, from commits alone: what a leader of the past has decided overwrites nothing that a later one has written, and no
 * leader clears an announcement of another one while what that one has sent may still arrive.
 */
import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import { at, isArray, type KubeObject } from '../../packages/kube/src/object/index.ts'

/** The longest that a request takes. */
const REQUEST_MS = 30_000
/** Others have theirs. */
const LEASE = 'lockstep-system/lockstep-leader'

interface Leader {
  readonly generation: number
  readonly since: number
}

export class Fences {
  readonly problems: string[] = []
  /** Commits of a leader after another one. */
  tested = 0
  /** Commits, by number, of a leader after its successor had begun: they were sent before. */
  readonly late = new Set<number>()
  private readonly clock: () => number
  private readonly leaders = new Map<string, Leader>()
  /** Of the last write to each object. */
  private readonly writers = new Map<string, number>()
  private readonly nonces = new Map<string, number>()
  private newest = 0

  /** `clock`: monotonic milliseconds of the run that is watched. */
  constructor(clock: () => number) {
    this.clock = clock
  }

  /** `number`: of the commit, from 0. */
  see(c: CommitRecord, number: number): void {
    if (c.resource === 'leases.coordination.k8s.io') {
      if (c.key === LEASE) this.elected(c)
    } else this.written(c, number)
  }

  private written(c: CommitRecord, number: number): void {
    const leader = this.leaders.get(c.agent ?? '')
    if (!leader) return
    const { generation } = leader
    const id = `${c.cluster} ${c.resource} ${c.key} ${c.uid}`
    const before = this.writers.get(id)
    if (this.newest > 0) this.tested++
    if (generation < this.newest) this.late.add(number)
    if (before !== undefined && before > generation)
      this.problems.push(`I10: ${c.agent} of term ${generation} wrote ${id} after term ${before}`)
    this.writers.set(id, Math.max(generation, before ?? 0))
    if (c.resource === 'inventories.lockstep.dev' && c.next) this.announced(c, leader)
  }

  private elected({ next, agent }: CommitRecord): void {
    const generation = Number(at(next, 'spec', 'leaseTransitions') ?? 0)
    if (!at(next, 'spec', 'holderIdentity') || this.leaders.get(agent ?? '')?.generation === generation)
      return
    this.leaders.set(agent ?? '', { generation, since: this.clock() })
    this.newest = generation
  }

  private announced(c: CommitRecord, { generation, since }: Leader): void {
    const kept = new Set(noncesOf(c.next))
    for (const nonce of kept) if (!this.nonces.has(nonce)) this.nonces.set(nonce, generation)
    for (const nonce of noncesOf(c.old))
      if (!kept.has(nonce) && this.nonces.get(nonce)! < generation && this.clock() - since < REQUEST_MS)
        this.problems.push(
          `I10: ${c.agent} cleared an intent of term ${this.nonces.get(nonce)} in ${c.key} early`,
        )
  }
}

function noncesOf(inventory: KubeObject | undefined): string[] {
  const intents = at(inventory, 'spec', 'intents')
  return isArray(intents) ? intents.map((i) => String(at(i, 'nonce'))) : []
}

/**
 * Watches a cluster on which modules change, and says where one acts on a release that what it needs has not reached; and, on the
 * way back, where it leaves one that others have not left. What has never been at a release before goes there forwards.
 */

import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { PUBLISHED_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'

/** A module. */
export interface EarlyNode {
  readonly name: string
  readonly needs: readonly string[]
  /** A Deployment takes time to be ready; a constant module is delivered once and only verified again. */
  readonly content: 'config' | 'deployment' | 'constant'
  /** It has something slow in a later wave, too. */
  readonly isWaved: boolean
  /** Of what it needs, that of which it needs only the first wave. */
  readonly first: ReadonlySet<string>
}

/** All that a module needs, over any number of edges. */
function belowOf(graph: readonly EarlyNode[], name: string): Set<string> {
  const below = new Set<string>()
  const add = (n: string): void => {
    for (const to of graph.find((x) => x.name === n)?.needs ?? []) {
      if (below.has(to)) continue
      below.add(to)
      add(to)
    }
  }
  add(name)
  return below
}

/** The release of what is written of a module; 0: nothing. */
function writtenRelease(o: KubeObject | undefined): number {
  if (!o) return 0
  if (o.kind === 'ConfigMap') return Number(at(o, 'data', 'release'))
  return Number(String(at(o, 'spec', 'template', 'spec', 'containers', 0, 'image')).replace('app:', ''))
}

/** 0 as long as it is not ready for that release. */
function readyRelease(o: KubeObject | undefined): number {
  if (!o || o.kind === 'ConfigMap') return writtenRelease(o)
  const status = (name: string): number => Number(at(o, 'status', name) ?? 0)
  const isObserved = status('observedGeneration') === Number(o.metadata.generation)
  const isUp = status('updatedReplicas') === 1 && status('availableReplicas') === 1
  return isObserved && isUp ? writtenRelease(o) : 0
}

const releaseIn = (o: KubeObject | undefined, ...path: string[]): number =>
  Number(String(at(o, ...path) ?? 'r0').slice(1))

/** Commits of the whole fleet: who admits has read so long ago at most. */
const A_MOMENT = 25

export class EarlyActs {
  readonly problems: string[] = []
  private readonly cluster: string
  private readonly below: ReadonlyMap<string, ReadonlySet<string>>
  private readonly changing: ReadonlySet<string>
  private readonly live = new Map<string, KubeObject>()
  /** When the fleet came to know each release: one that was never published is not known. */
  private readonly known = new Map<number, string>()
  /** What each unit was admitted at, in the order of the first time. */
  private readonly been: ReadonlyMap<string, number[]>
  /** Until which commit a module was ready at a release. */
  private readonly wasReady: ReadonlyMap<string, Map<number, number>>
  private commits = 0

  constructor(graph: readonly EarlyNode[], cluster: string) {
    this.cluster = cluster
    this.below = new Map(graph.map((n) => [n.name, belowOf(graph, n.name)]))
    this.changing = new Set(graph.filter((n) => n.content !== 'constant').map((n) => n.name))
    this.been = new Map(graph.map((n) => [n.name, []]))
    this.wasReady = new Map(graph.map((n) => [n.name, new Map()]))
  }

  see(c: CommitRecord): void {
    this.commits++
    if (c.resource === 'controllerrevisions.apps') this.published(c)
    else if (c.resource === 'inventories.lockstep.dev') this.admitted(c)
    else if (c.cluster === this.cluster && (c.resource === 'configmaps' || c.resource === 'deployments.apps'))
      this.written(c)
  }

  private published({ next }: CommitRecord): void {
    const release = releaseIn(next, 'data', 'spec', 'release')
    const when = next?.metadata.annotations?.[PUBLISHED_ANNOTATION] ?? ''
    if (release > 0 && when < (this.known.get(release) ?? '~')) this.known.set(release, when)
  }

  private rankOf(release: number): number {
    const first = this.known.get(release)
    return first === undefined ? 0 : [...this.known.values()].filter((when) => when <= first).length
  }

  /** From here on the unit acts on its release. */
  private admitted({ old, next, key, seq }: CommitRecord): void {
    const name = String(at(next, 'spec', 'moduleRef', 'name'))
    const release = releaseIn(next, 'spec', 'admitted', 'release')
    const before = releaseIn(old, 'spec', 'admitted', 'release')
    const all = this.been.get(name)
    if (release > 0 && all?.includes(release) === false) all.push(release)
    if (this.rankOf(release) <= this.rankOf(before)) return
    for (const a of this.below.get(name) ?? []) {
      if (!this.changing.has(a) || this.isReady(a, release)) continue
      const there = readyRelease(this.live.get(a))
      this.problems.push(
        `${key} goes from ${before} to ${release} while ${a} is ready at ${there} (commit ${seq})`,
      )
    }
  }

  /** At that release or a later one, or it was a moment ago. */
  private isReady(name: string, release: number): boolean {
    const until = [...this.wasReady.get(name)!].filter(([, commit]) => commit > this.commits - A_MOMENT)
    const releases = [readyRelease(this.live.get(name)), ...until.map(([r]) => r)]
    return releases.some((r) => this.rankOf(r) >= this.rankOf(release))
  }

  private written({ key, next, seq }: CommitRecord): void {
    const name = key.split('/')[1] ?? ''
    if (!this.changing.has(name)) return
    const before = this.live.get(name)
    this.wasReady.get(name)!.set(readyRelease(before), this.commits)
    if (next) this.live.set(name, next)
    else this.live.delete(name)
    const now = writtenRelease(next)
    if (now === 0 || this.rankOf(now) >= this.rankOf(writtenRelease(before))) return
    for (const [other, needs] of this.below) {
      const there = writtenRelease(this.live.get(other))
      if (!needs.has(name) || this.rankOf(there) <= this.rankOf(now) || !this.isWayBack(other, name, now))
        continue
      this.problems.push(
        `${key} goes back to ${now} while ${other}, which needs it, is at ${there} (commit ${seq})`,
      )
    }
  }

  /** The unit, `a` which it needs, and what of all that it needs in its turn needs `a`: all were there before. */
  private isWayBack(name: string, a: string, release: number): boolean {
    const between = [...this.below.get(name)!].filter((x) => this.below.get(x)!.has(a))
    return [name, a, ...between].every((x) => {
      const all = this.been.get(x)!
      return all.includes(release) && all.at(-1) !== release
    })
  }
}

/** How many clusters of one module are under way at once, read off records and Inventories: of ledgers it knows nothing. */
import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Story } from './steps.ts'

interface Unit {
  recorded?: string | undefined
  admitted?: string | undefined
  isWell: boolean
  isLeaving: boolean
}

export class Slots {
  /** Most of them, since this looks. */
  most = 0
  /** Most clusters of which the module had something, or was to have. */
  widest = 0
  /** Most clusters that left at once. */
  mostLeaving = 0
  private readonly module: string
  private readonly units = new Map<string, Unit>()

  constructor({ fleet }: Story, module: string) {
    this.module = module
    for (const c of fleet.commits) this.see(c)
    this.count()
    // Commits are looked at when they are made: afterwards nobody knows what was there at once.
    const push = fleet.commits.push.bind(fleet.commits)
    fleet.commits.push = (...commits) => {
      for (const c of commits) this.see(c)
      this.count()
      return push(...commits)
    }
  }

  private count(): void {
    this.most = Math.max(this.most, this.underWay().length)
    this.mostLeaving = Math.max(this.mostLeaving, this.leaving().length)
    this.widest = Math.max(this.widest, this.delivered().length)
  }

  /** Clusters that are assigned to something that they are not well at, or that leave. */
  underWay(): string[] {
    return this.those(
      (u) => u.isLeaving || (u.recorded !== undefined && !(u.admitted === u.recorded && u.isWell)),
    )
  }

  leaving(): string[] {
    return this.those((u) => u.isLeaving)
  }

  /** Clusters with something of the module, or with a record of what they are to have. */
  delivered(): string[] {
    return this.those((u) => u.admitted !== undefined || u.recorded !== undefined)
  }

  private those(is: (u: Unit) => boolean): string[] {
    return [...this.units].flatMap(([name, u]) => (is(u) ? [name] : []))
  }

  private see({ cluster, resource, next, old }: CommitRecord): void {
    if (cluster !== 'hub') return
    if (resource.startsWith('inventories')) this.inventory((next ?? old)!, next)
  }

  private unit(name: string): Unit {
    const known = this.units.get(name) ?? { isWell: false, isLeaving: false }
    this.units.set(name, known)
    return known
  }

  private inventory(about: KubeObject, next: KubeObject | undefined): void {
    if (at(about, 'spec', 'moduleRef', 'name') !== this.module) return
    const unit = this.unit(String(at(about, 'spec', 'clusterRef', 'name')))
    const assigned = next && at(next, 'spec', 'assigned')
    const removal = assigned && at(assigned, 'removal')
    unit.recorded =
      assigned === undefined || removal !== undefined ? undefined : String(at(assigned, 'revision'))
    unit.isLeaving = removal !== undefined
    const admitted = next && at(next, 'spec', 'admitted')
    unit.admitted = admitted === undefined ? undefined : String(at(admitted, 'revision'))
    unit.isWell =
      admitted !== undefined &&
      at(next!, 'status', 'admittedSerial') === at(admitted, 'serial') &&
      at(next!, 'status', 'health') === 'Healthy'
  }
}

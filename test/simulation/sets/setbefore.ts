/** What is there before anybody begins: objects of others, and what Cluster API has applied that is not there any more. */

import type { Random } from '../../../packages/kube/src/env/env.ts'
import { type KubeObject, timestamp } from '../../../packages/kube/src/object/index.ts'
import {
  type ClusterResourceSetBinding,
  resourceSetBindingKinds,
} from '../../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import type { SetStory } from '../../fleet/setstory.ts'
import { NAMESPACE } from '../../fleet/simfleet.ts'
import { chance } from '../scenario.ts'
import type { RecordedFacts } from './setfacts.ts'
import type { SetJudge } from './setjudge.ts'
import { pick, type RandomSet, type SetsPlan } from './setsplan.ts'
import { idOf, type RandomSource } from './sourcecontent.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

interface Sourced {
  readonly plan: RandomSet
  readonly sources: readonly RandomSource[]
}

export class SetsBefore {
  private readonly story: SetStory
  private readonly plan: SetsPlan
  private readonly facts: RecordedFacts
  private readonly judge: SetJudge
  private readonly random: Random

  constructor(story: SetStory, plan: SetsPlan, facts: RecordedFacts, judge: SetJudge) {
    this.story = story
    this.plan = plan
    this.facts = facts
    this.judge = judge
    this.random = story.fleet.env.random.fork('before')
  }

  /** Something is there on a cluster, of the name of an object of the set. */
  find(a: Sourced): void {
    const cluster = pick(this.random, this.plan.clusters)
    const { local } = this.story.fleet.clusters.get(cluster)!.api
    const [o] = a.sources[0]!.manifests().filter(
      (m) => m.kind === 'ConfigMap' && m.metadata.namespace === 'default',
    )
    if (o) local.create({ ...o, data: { v: 'found' } }, 'user')
  }

  /** A binding of Cluster API, which is not there any more, says that it has applied this. */
  async applied(a: Sourced): Promise<void> {
    for (const cluster of this.plan.clusters) {
      if (chance(this.random, 0.3)) continue
      const { local } = this.story.fleet.clusters.get(cluster)!.api
      // As long ago as may be of the cluster that is there, and so not of one that comes after it.
      const at = timestamp(this.story.fleet.env.clock.now() - 299_000)
      const resources = a.sources.map((s) => {
        for (const o of s.manifests()) local.create(o, 'manager')
        const kind = s.resource === 'secrets' ? ('Secret' as const) : ('ConfigMap' as const)
        const hash = chance(this.random, 0.7) ? this.facts.hashes.get(s.name)!.now! : 'sha256:older'
        return { kind, name: s.name, hash, lastAppliedTime: at, applied: chance(this.random, 0.8) }
      })
      const [kind] = resourceSetBindingKinds
      const { hub } = this.story.fleet
      const key = { namespace: NAMESPACE, name: cluster }
      const found = await this.story.during(
        hub.get<ClusterResourceSetBinding>(kind!, key, { purpose: 'user' }),
      )
      const before = found.ok ? (found.value.spec.bindings ?? []) : []
      const entry = { clusterResourceSetName: a.plan.name, resources }
      const body = {
        apiVersion: `${kind!.group}/${kind!.version}`,
        kind: kind!.kind,
        metadata: key,
        spec: { clusterName: cluster, bindings: [...before, entry] },
      }
      await this.story.during(hub.apply(kind!, body as never, WRITE))
    }
  }

  /** An object of somebody else, which no set names. */
  strangerOn(cluster: string): void {
    const { local } = this.story.fleet.clusters.get(cluster)!.api
    const o = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stranger', namespace: 'default' } }
    local.create({ ...o, data: { v: '1' } } as KubeObject, 'user')
    this.judge.strangers.add(idOf(o as KubeObject))
  }
}

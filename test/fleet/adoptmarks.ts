/** `lockstep adopt --from-markers` in virtual time. */
import { namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import {
  adoptMarks,
  answerOf,
  type MarkedUnit,
} from '../../packages/lockstep/src/cli/commands/adopt/marks.ts'
import { markedObjects } from '../../packages/lockstep/src/deliver/ownership/markedobjects.ts'
import { refOfInventory } from '../../packages/lockstep/src/deliver/plan/unitnames.ts'
import { must, NAMESPACE } from './simfleet.ts'
import type { Story } from './steps.ts'

type Adopted = number | string

/** The number of adopted objects, or the refusal. */
export async function adoptByMarks(
  story: Pick<Story, 'fleet' | 'during'>,
  inventory: Stored<Inventory>,
  fromHub?: string,
): Promise<Adopted> {
  const unit = { ref: refOfInventory(inventory), inventory }
  const [done] = await story.during(adopt(story.fleet, [unit], inventory.spec.clusterRef.name, fromHub))
  return done!
}

/** The same for Modules on one cluster; a unit may not be assigned yet. */
export function adoptModulesByMarks(
  story: Story,
  names: readonly string[],
  cluster: string,
  fromHub: string,
): Promise<Adopted[]> {
  const units = names.map((name) => ({
    ref: { kind: 'Module' as const, namespace: NAMESPACE, name },
    inventory: story.inventory(name, cluster),
  }))
  return story.during(adopt(story.fleet, units, cluster, fromHub))
}

async function adopt(
  { env, hub, clusters }: Story['fleet'],
  units: readonly MarkedUnit[],
  cluster: string,
  fromHub: string | undefined,
): Promise<Adopted[]> {
  const { client } = clusters.get(cluster)!
  const system = must(await hub.get(namespaceKind, { name: 'kube-system' }, { purpose: 'user' }))
  const served = must(await client.discover({ purpose: 'user' }))
  const marked = must(await markedObjects({ client, served }, undefined))
  const place = { env, hub, hubUid: system.metadata.uid, cluster: client, fromHub }
  const done: Adopted[] = []
  for (const unit of units) {
    const answer = must(await answerOf(place, unit, marked))
    if (answer.type === 'adopt') must(await adoptMarks(place, unit, answer))
    done.push(answer.type === 'adopt' ? answer.objects.length : answer.problem)
  }
  return done
}

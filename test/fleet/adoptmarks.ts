/** `lockstep adopt --from-markers` in virtual time. */
import { namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import {
  adoptMarks,
  answerOf,
  type MarkedUnit,
  type MarksPlace,
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
  const cluster = inventory.spec.clusterRef.name
  const unit = { ref: refOfInventory(inventory), cluster, inventory }
  const [done] = await story.during(adopt(story.fleet, [unit], fromHub))
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
    cluster,
    inventory: story.inventory(name, cluster),
  }))
  return story.during(adopt(story.fleet, units, fromHub))
}

/** Units of one cluster. */
export function adopt(
  { env, hub, clusters }: Story['fleet'],
  units: readonly MarkedUnit[],
  fromHub: string | undefined,
): Promise<Adopted[]> {
  const cluster = clusters.get(units[0]!.cluster)!.client
  return adoptUnits({ env, hub, cluster, fromHub }, units)
}

/** Adopts units of one cluster, as the command does. */
export async function adoptUnits(
  at: Omit<MarksPlace, 'hubUid'>,
  units: readonly MarkedUnit[],
): Promise<Adopted[]> {
  const system = must(await at.hub.get(namespaceKind, { name: 'kube-system' }, { purpose: 'user' }))
  const served = must(await at.cluster.discover({ purpose: 'user' }))
  const marked = must(await markedObjects({ client: at.cluster, served }, undefined))
  const place = { ...at, hubUid: system.metadata.uid }
  const done: Adopted[] = []
  for (const unit of units) {
    const answer = must(await answerOf(place, unit, marked))
    if (answer.type === 'adopt') must(await adoptMarks(place, unit, answer))
    done.push(answer.type === 'adopt' ? answer.objects.length : answer.problem)
  }
  return done
}

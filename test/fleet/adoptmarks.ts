/** `lockstep adopt --from-markers` for one unit, in virtual time. */
import { namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { adoptMarks, answerOf } from '../../packages/lockstep/src/cli/commands/adopt/marks.ts'
import { markedObjects } from '../../packages/lockstep/src/deliver/ownership/markedobjects.ts'
import { must } from './simfleet.ts'
import type { Story } from './steps.ts'

/** The number of adopted objects, or the refusal. */
export function adoptByMarks(
  story: Pick<Story, 'fleet' | 'during'>,
  inventory: Stored<Inventory>,
  fromHub?: string,
): Promise<number | string> {
  return story.during(adopt(story.fleet, inventory, fromHub))
}

async function adopt(
  { env, hub, clusters }: Story['fleet'],
  inventory: Stored<Inventory>,
  fromHub: string | undefined,
): Promise<number | string> {
  const { client } = clusters.get(inventory.spec.clusterRef.name)!
  const system = must(await hub.get(namespaceKind, { name: 'kube-system' }, { purpose: 'user' }))
  const served = must(await client.discover({ purpose: 'user' }))
  const marked = must(await markedObjects({ client, served }, undefined))
  const place = { env, hub, hubUid: system.metadata.uid, cluster: client, fromHub }
  const answer = must(await answerOf(place, inventory, marked))
  if (answer.type === 'refused') return answer.problem
  must(await adoptMarks(place, inventory, answer))
  return answer.objects.length
}

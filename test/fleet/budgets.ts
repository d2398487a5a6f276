/** DisruptionBudgets in the delivery tests: what people write, and what was so at each commit. */
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import {
  type DisruptionBudget,
  disruptionBudgetKind,
} from '../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import type { Story } from './steps.ts'

export const budgetOf = (name: string, spec: object): DisruptionBudget => ({
  apiVersion: API_VERSION,
  kind: 'DisruptionBudget',
  metadata: { name, namespace: NAMESPACE },
  spec: { clusterSelector: {}, ...spec },
})

export async function budget(story: Story, name: string, spec: object): Promise<void> {
  const body = budgetOf(name, spec)
  must(await story.during(story.fleet.hub.apply(disruptionBudgetKind, body, { ...USER, force: true })))
}

export async function dropBudget(story: Story, name: string): Promise<void> {
  const key = { namespace: NAMESPACE, name }
  must(await story.during(story.fleet.hub.delete(disruptionBudgetKind, key, USER)))
}

export const seeBudget = (story: Story, name: string): Stored<DisruptionBudget> => {
  const found = story.manager.hub.disruptionBudgets.store.get({ namespace: NAMESPACE, name })
  if (!found) throw new Error(`no DisruptionBudget ${name}`)
  return found
}

/** `Module/web@c1`, in order. */
export const placesOf = (b: DisruptionBudget): string[] =>
  (b.status?.ledger ?? []).map((e) => `${e.module}@${e.cluster}`)

export const readyText = (b: DisruptionBudget): string | undefined =>
  b.status?.conditions?.find((c) => c.type === 'Ready')?.message

interface WithLedger {
  readonly status?: { readonly rollout?: { readonly ledger?: readonly { readonly cluster: string }[] } }
}

const RESOURCE = 'modules.lockstep.dev'

/** After each commit of a module's ledger: clusters that some module has in its own, and those of each module. */
export function usesOf(story: Story, from = 0): { clusters: number; byModule: Map<string, number> }[] {
  const ledgers = new Map<string, readonly string[]>()
  return story.fleet.commits.flatMap((c, i) => {
    if (c.resource !== RESOURCE) return []
    ledgers.set(
      c.key,
      ((c.next as WithLedger | undefined)?.status?.rollout?.ledger ?? []).map((e) => e.cluster),
    )
    if (i < from) return []
    const byModule = new Map([...ledgers].map(([k, l]) => [k, l.length]))
    return [{ clusters: new Set([...ledgers.values()].flat()).size, byModule }]
  })
}

export const peakOf = (story: Story, from = 0): number =>
  Math.max(0, ...usesOf(story, from).map((u) => u.clusters))

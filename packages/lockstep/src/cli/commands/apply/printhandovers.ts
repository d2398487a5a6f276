/** `lockstep apply --dry-run=server`: objects that would change hands. */
import type { KubeObject } from '@lockstep/kube/object'
import { CLUSTER_LABEL } from '../../../api/labels.ts'
import { MAX_REMOVAL } from '../../../controllers/runtime/index.ts'
import { handoverFacts, handoverLines, planOfFleet } from '../../kit/fleetplan/index.ts'
import type { HubConnection } from '../../kit/hub/index.ts'
import type { CommandContext } from '../../kit/index.ts'
import type { FileModules } from '../../kit/render/index.ts'
import { fit } from '../../kit/terminal/index.ts'

/** Prints handovers of each hub namespace with a Module or a cluster in the files; nothing without handovers. */
export async function printHandovers(
  c: CommandContext,
  hub: HubConnection,
  { modules, others, beside, documents }: FileModules,
): Promise<void> {
  const t = c.terminal
  const namespaces = [...new Set([...modules, ...beside.filter(isCluster)].map(namespaceOf))].sort()
  for (const namespace of namespaces) {
    const isHere = (o: KubeObject): boolean => namespaceOf(o) === namespace
    const written = { modules: modules.filter(isHere), others: others.filter(isHere), beside, documents }
    const planned = await planOfFleet(c, { ...hub, namespace }, written, MAX_REMOVAL)
    if (!planned.ok) {
      t.talk(fit(t.look, `handovers are not known: ${planned.error.message}`))
      continue
    }
    for (const line of handoverLines(t.look, handoverFacts(planned.value.handovers))) t.print(line)
  }
}

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? ''

const isCluster = ({ metadata }: KubeObject): boolean => metadata.labels?.[CLUSTER_LABEL] !== undefined

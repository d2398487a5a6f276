/** Why a record that somebody else keeps is not delivered: pure. */
import { type FleetSnapshot, isOnCluster } from '../snapshot/index.ts'
import { chainOf } from './chain.ts'
import type { WhyNode, WhyTree } from './whytree.ts'

/** `AppGroup/web` on a cluster; undefined: nobody keeps such a record. */
export function externalTree(s: FleetSnapshot, record: string, cluster: string): WhyTree | undefined {
  const [kind, name] = record.split('/')
  const isIts = (r: { readonly kind: string; readonly name: string }): boolean =>
    r.kind.toLowerCase() === kind?.toLowerCase() && r.name === name
  const assemblage = s.foreign.find((a) => isOnCluster(s, a, cluster) && a.spec.syncs?.some(isIts))
  const wanted = assemblage?.spec.syncs?.find(isIts)
  if (!assemblage || !wanted) return undefined
  const { metadata, status } = assemblage
  const said = status?.syncs?.find(isIts)
  const place = { module: `${wanted.kind}/${wanted.name}`, cluster }
  const short = (revision = ''): string => revision.replace(/^v1:/, '').slice(0, 7)
  const isReady = said?.state === 'Ready' && said.revision === wanted.revision
  const blockers = said?.blockers ?? []
  const causes = blockers.map((b): WhyNode => {
    const children = below(s, b.subject, cluster)
    const root = children.length === 0 ? { isRoot: true } : {}
    return {
      label: b.subject.replace(/@.*$/, ''),
      reason: b.reason,
      text: b.message,
      since: b.since,
      ...place,
      ...root,
      children,
    }
  })
  const { message = 'the controller has not looked at it yet', reason = 'Pending' } =
    status?.conditions?.find((c) => c.type === 'Ready') ?? {}
  const unsaid: WhyNode = {
    label: `RemoteAssemblage ${metadata.name}`,
    reason,
    text: message,
    ...place,
    isRoot: true,
    children: [],
  }
  return {
    namespace: metadata.namespace ?? '',
    ...place,
    state: isReady ? 'ready' : said?.state === 'Failed' ? 'failed' : 'waits',
    has: short(said?.revision),
    wants: short(wanted.revision),
    ...(blockers[0] ? { since: blockers[0].since } : {}),
    causes: isReady ? [] : causes.length > 0 ? causes : [unsaid],
    clustersBehind: 0,
    modulesBehind: [],
    warnings: [],
  }
}

/** What the module waits for that it waits for. */
function below(s: FleetSnapshot, subject: string, own: string): readonly WhyNode[] {
  const [module = '', cluster = own] = subject.split('@')
  const on = s.modules.find((m) => `${m.kind}/${m.metadata.name}` === module)
  return on ? chainOf(s, on, cluster, new Map()).tree.causes : []
}

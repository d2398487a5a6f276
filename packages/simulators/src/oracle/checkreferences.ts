/** I35: at rest, each reference of a stored blocker names something that exists; or that it does not is what the blocker reports. */
import { at, isString, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import { HUB, INVENTORIES, identity, list, text } from './clusterhistory.ts'
import type { OracleContext } from './oraclecontext.ts'

/** The cluster of each unit that a summary is about. */
const SELF = '$self'
const REPORTING = ['modules.lockstep.dev', 'bootstrapmodules.lockstep.dev', INVENTORIES]

/** Reasons about something that does not exist, or that may not. */
const ABSENT: ReadonlySet<string> = new Set([
  // Nothing has this name.
  'ClusterGone',
  'ClusterMissing',
  'DependencyMissing',
  'ResourceNotFound',
  'WaitNotFound',
  'WaitKindNotServed',
  // A person creates it.
  'AwaitingApproval',
  // The object of the bundle was refused, perhaps before it was created.
  'ApplyFailed',
  'Forbidden',
  'KindNotServed',
  'NamespaceMissing',
  'NamespaceNotAllowed',
  'QuotaExceeded',
  // Others delete it, or its own policy does.
  'DeletionFight',
  'DriftNotReverted',
  'HookFailed',
  'HookTimeout',
])

export function checkReferences(o: OracleContext): void {
  const names = new Map<string, ReadonlySet<string>>()
  const identities = (cluster: string): ReadonlySet<string> => {
    const known = names.get(cluster) ?? new Set(Array.from(o.history.on(cluster), identity))
    names.set(cluster, known)
    return known
  }
  for (const resource of REPORTING)
    for (const reporter of o.history.all(HUB, resource))
      for (const b of list(reporter, 'status', 'blockers'))
        for (const ref of list(b, 'on'))
          for (const cluster of clustersOf(b, ref)) {
            const exists = existenceOf({ reporter, ref, cluster, identities })
            if (exists === undefined) continue
            o.tested('I35')
            if (!exists && !ABSENT.has(text(b, 'reason')))
              o.broken('I35', brokenText(reporter, b, ref, cluster))
          }
}

const brokenText = (
  reporter: KubeObject,
  b: JsonValue,
  ref: JsonValue,
  cluster: string | undefined,
): string =>
  `${reporter.kind} ${reporter.metadata.name} waits for ${text(ref, 'kind')} ${text(ref, 'name')}${cluster === undefined ? '' : ` on ${cluster}`}, which does not exist: ${text(b, 'reason')}: ${text(b, 'message')}`

/** Where the reference must exist. A summary names its first clusters. */
function clustersOf(b: JsonValue, ref: JsonValue): readonly (string | undefined)[] {
  const cluster = at(ref, 'cluster')
  if (cluster === SELF) return list(b, 'clusters').filter(isString)
  return [isString(cluster) ? cluster : undefined]
}

interface Reference {
  readonly reporter: KubeObject
  readonly ref: JsonValue
  readonly cluster: string | undefined
  /** Identities of all objects of a cluster. */
  identities(cluster: string): ReadonlySet<string>
}

/** Undefined: nothing that a server has. */
function existenceOf({ reporter, ref, cluster, identities }: Reference): boolean | undefined {
  const name = text(ref, 'name')
  const own = reporter.metadata.namespace ?? ''
  const namespace = text(ref, 'namespace') || own
  const hub = identities(HUB)
  const isOfHub = (kind: string, group: string): boolean => hub.has(`${group}/${kind}/${namespace}/${name}`)
  const isCluster = (of: string): boolean =>
    hub.has(`/Secret/${own}/${of}`) || hub.has(`cluster.x-k8s.io/Cluster/${own}/${of}`)
  switch (text(ref, 'kind')) {
    case 'Module':
    case 'Unit': {
      // The assemblage of another tool lists it.
      if (text(ref, 'group') !== '') return undefined
      const kind = text(ref, 'object', 'kind') || 'Module'
      const isThere = isOfHub(kind, groupOf(text(ref, 'object', 'apiVersion') || 'lockstep.dev/v1'))
      return isThere && (cluster === undefined || isCluster(cluster))
    }
    case 'Cluster':
      return isCluster(name)
    case 'Hold':
    case 'Approval':
      return isOfHub(text(ref, 'kind'), 'lockstep.dev')
    case 'Budget':
      return isOfHub('DisruptionBudget', 'lockstep.dev')
    case 'Object': {
      const group = groupOf(text(ref, 'object', 'apiVersion'))
      return identities(cluster ?? HUB).has(
        `${group}/${text(ref, 'object', 'kind')}/${text(ref, 'namespace')}/${name}`,
      )
    }
    default:
      return undefined
  }
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''

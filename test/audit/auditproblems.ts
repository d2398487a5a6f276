/** Whether the requests of the controller are records, or are sent as an account. Records are what the table of rights has. */
import { SYSTEM_NAMESPACE } from '../../packages/lockstep/src/api/labels.ts'
import {
  PROFILES,
  type Profile,
  RIGHTS,
  type Right,
  type RightScope,
} from '../../packages/lockstep/src/api/rights.ts'
import type { AuditEntry } from './auditentry.ts'

export const CONTROLLER_AGENT = 'lockstep-controller'

/** The hub that the requests went to. */
export interface AuditedHub {
  /** Its rights are those of an administrator: it reads records of all namespaces at once. */
  readonly isAdmin?: boolean
  /** Profiles of its installation; absent: all. */
  readonly profiles?: readonly Profile[]
  /** Where cluster Secrets of Argo CD are. */
  readonly argocdNamespaces?: readonly string[]
  /** Other namespaces are not managed, and the controller is refused there. Absent: every one is managed. */
  readonly managed?: ReadonlySet<string>
}

const READS: readonly string[] = ['get', 'list', 'watch']

/** An apply of an object that does not exist needs the right to create it, too. */
const verbsOf = ({ verb, code }: AuditEntry): string[] =>
  verb === 'patch' && code === 201 ? [verb, 'create'] : [verb]

const isOf = (right: Right, e: AuditEntry): boolean =>
  right.group === e.group &&
  right.resources.includes(e.resource) &&
  verbsOf(e).some((verb) => right.verbs.includes(verb)) &&
  (right.names === undefined || right.names.includes(e.name))

const inScope: Readonly<Record<RightScope, (e: AuditEntry, hub: AuditedHub) => boolean>> = {
  Cluster: () => true,
  Namespace: (e) => e.namespace !== '' && e.namespace !== SYSTEM_NAMESPACE,
  System: (e) => e.namespace === SYSTEM_NAMESPACE,
  ArgoCD: (e, { argocdNamespaces = ['argocd'] }) => argocdNamespaces.includes(e.namespace),
  Deployer: () => false,
}

/** Caches of an account list and watch; reviews ask for the right to get their objects. */
const readable = (right: Right): Right =>
  right.verbs.includes('get') ? { ...right, verbs: [...right.verbs, 'list'] } : right

/** Whether a right was used by a request: of the controller, or of an account that it acts as. */
export const isUseOf = (right: Right, e: AuditEntry, hub: AuditedHub): boolean => {
  if (e.code === 403 || !e.agent.startsWith(CONTROLLER_AGENT)) return false
  const { impersonated } = e
  if (right.verbs.includes('impersonate')) return impersonated !== undefined
  if (right.scope === 'Deployer') return impersonated !== undefined && isOf(readable(right), e)
  const isHere = right.scope !== 'Namespace' || !hub.managed || hub.managed.has(e.namespace)
  return impersonated === undefined && isHere && isOf(right, e) && inScope[right.scope](e, hub)
}

const isInstalled = ({ profile }: Right, { profiles = PROFILES }: AuditedHub): boolean =>
  profile === undefined || profiles.includes(profile)

/** Rights of the controller that allow a request of its own. */
export const rightsFor = (e: AuditEntry, hub: AuditedHub): Right[] =>
  RIGHTS.filter((r) => isInstalled(r, hub) && isOf(r, e) && inScope[r.scope](e, hub))

/** Whether a profile is installed is found out by a read of the definition of its kind. */
const isOtherProfile = (e: AuditEntry, hub: AuditedHub): boolean =>
  e.resource === 'customresourcedefinitions' && RIGHTS.some((r) => !isInstalled(r, hub) && isOf(r, e))

/** Whether it may read a kind of record everywhere is found out by a read; `install` gives no such right. */
const isWholeRead = (e: AuditEntry): boolean =>
  e.namespace === '' && READS.includes(e.verb) && RIGHTS.some((r) => r.scope === 'Namespace' && isOf(r, e))

const text = ({ verb, group, resource, namespace, name, code }: AuditEntry): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`} ${namespace}/${name}: ${code ?? '-'}`

/** Each once. A log without requests of the controller is a problem, too: it is not a log of the hub. */
export function auditProblems(entries: Iterable<AuditEntry>, hub: AuditedHub = {}): string[] {
  const problems = new Set<string>()
  let records = 0
  for (const e of entries) {
    if (!e.agent.startsWith(CONTROLLER_AGENT) || e.impersonated !== undefined) continue
    records++
    if (isWholeRead(e) || isOtherProfile(e, hub)) {
      if (!hub.isAdmin && e.code !== undefined && e.code !== 403)
        problems.add(`a right that install does not give: ${text(e)}`)
      continue
    }
    if (rightsFor(e, hub).length === 0) problems.add(`neither a record nor as an account: ${text(e)}`)
    else if (e.code === 403 && (!hub.managed || e.namespace === '' || hub.managed.has(e.namespace)))
      problems.add(`a right that is granted was refused: ${text(e)}`)
  }
  return records === 0 ? ['the log has no request of the controller'] : [...problems]
}

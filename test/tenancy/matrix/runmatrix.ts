/** Plays cases of the matrix on one hub, and compares their effects with reviews of their rights by an administrator. */
import type { KubeClient } from '../../../packages/kube/src/client/client.ts'
import { defineKind, type Kind, type KubeObject } from '../../../packages/kube/src/object/index.ts'
import { managedNamespace } from '../../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import { PROMOTION_MANAGER } from '../../../packages/lockstep/src/controllers/promotion/strategies/modulestrategy.ts'
import type { AuditEntry } from '../../audit/auditentry.ts'
import { CONTROLLER_AGENT } from '../../audit/auditproblems.ts'
import { clusterRoleBindingKind } from '../../fleet/accountrights.ts'
import type { MatrixCase } from './matrixcase.ts'
import { leases, modules } from './matrixkinds.ts'
import { blockersText, CASE, type FindObject } from './matrixpath.ts'
import type { MatrixScene, RequiredRight } from './matrixscene.ts'

/** A hub of one kind, embedded or real, with the installation and its controller. */
export interface MatrixHub {
  readonly admin: KubeClient
  /** Objects as they are. */
  readonly find: FindObject
  /** Lets a request be answered. */
  during<T>(work: Promise<T>): Promise<T>
  /** Until it holds, and stays so; false: it does not, after more time than a controller needs. */
  until(holds: () => boolean): Promise<boolean>
  /** Another process of the controller, which knows no answers about rights. */
  restart(): Promise<void>
  audit(): Promise<readonly AuditEntry[]>
}

export interface MatrixResult {
  /** Cases whose effect is another one than their rights ask; each begins with its seed. */
  readonly differences: readonly string[]
  /** How many cases had all rights. */
  readonly allowed: number
}

const WRITE = { purpose: 'user', manager: 'test' as string, force: true, precondition: 'any' } as const
const RBAC = 'rbac.authorization.k8s.io'

const reviewKind = defineKind<KubeObject>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
})

export async function playMatrix(hub: MatrixHub, cases: readonly MatrixCase[]): Promise<MatrixResult> {
  const kinds = await servedKinds(hub)
  const each = <T>(work: (c: MatrixCase) => Promise<T>) => hub.during(Promise.all(cases.map(work)))
  const put = async (objects: readonly object[], manager = WRITE.manager): Promise<void> => {
    for (const o of objects as readonly KubeObject[]) {
      const kind = kinds.get(`${o.apiVersion} ${o.kind}`)
      if (!kind) throw new Error(`${o.apiVersion} ${o.kind} is not served`)
      const done = await hub.admin.apply(kind, o, { ...WRITE, manager })
      if (!done.ok) throw new Error(`${o.kind} ${o.metadata.name}: ${JSON.stringify(done.error)}`)
    }
  }
  await each(async ({ path, scene }) => {
    await put([...namespacesOf(scene), ...path.before(scene)])
    await put(path.handedOver?.(scene) ?? [], PROMOTION_MANAGER)
  })
  await deliverFirst(hub, cases, put)
  await each(({ rights }) => put(rights))
  const missing = new Map(
    await each(async (c) => [c, await missingRights(hub, c.scene.user, c.needs)] as const),
  )
  await each(({ path, scene }) => put(path.asked(scene)))
  const problemsOf = (c: MatrixCase): string[] => problems(c, missing.get(c)!, hub.find)
  // The first look of all cases opens all caches of a hub that is watched.
  cases.forEach(problemsOf)
  await hub.until(() => cases.every((c) => problemsOf(c).length === 0))
  const audit = await hub.audit()
  const differences = cases.flatMap((c) => {
    const found = [...problemsOf(c), ...requestProblems(c, missing.get(c)!, audit)]
    return found.length === 0 ? [] : [described(c, found)]
  })
  return { differences, allowed: cases.filter((c) => missing.get(c)!.length === 0).length }
}

/** Delivers objects with accounts that may do everything, and takes that right away. */
async function deliverFirst(
  hub: MatrixHub,
  cases: readonly MatrixCase[],
  put: (objects: readonly object[]) => Promise<void>,
): Promise<void> {
  const first = cases.filter(({ path }) => path.delivered)
  const each = (work: (c: MatrixCase) => Promise<unknown>) => hub.during(Promise.all(first.map(work)))
  await each(({ path, scene }) => put([everything(scene), ...path.delivered!(scene)]))
  const areReady = () => first.every(({ scene }) => isReady(hub.find(modules.kind, CASE, scene.own)))
  if (!(await hub.until(areReady))) throw new Error('the first delivery was not completed')
  await each(async ({ scene }) => {
    const { metadata } = everything(scene)
    const done = await hub.admin.delete(clusterRoleBindingKind, { name: metadata.name! }, WRITE)
    if (!done.ok) throw new Error(`${metadata.name}: ${JSON.stringify(done.error)}`)
  })
  // Answers about rights are used for 10 seconds.
  if (first.length > 0) await hub.restart()
}

const described = ({ seed, path, scene, rights }: MatrixCase, found: readonly string[]): string =>
  [
    `${seed}: ${path.name}, ${scene.of.kind.kind}, ${scene.place}: ${found.join('; ')}`,
    ...rights.map((r) => `  ${JSON.stringify(r)}`),
  ].join('\n')

async function servedKinds({ admin, during }: MatrixHub): Promise<ReadonlyMap<string, Kind>> {
  const served = await during(admin.discover({ purpose: 'user' }))
  if (!served.ok) throw new Error(JSON.stringify(served.error))
  return new Map(
    served.value.map((r) => [`${r.group === '' ? '' : `${r.group}/`}${r.version} ${r.kind}`, defineKind(r)]),
  )
}

/** Both namespaces; the controller works in one. The account may deliver Leases. */
function namespacesOf({ own, other, user }: MatrixScene): object[] {
  const name = user.split(':')[3]!
  const isOfDeployer = (o: { roleRef?: { name?: string } }) => o.roleRef?.name === 'edit'
  const managed = managedNamespace(own, []).filter((o) => !isOfDeployer(o as never))
  return [
    ...managed,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: own } },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: 'base', namespace: own },
      rules: [{ apiGroups: [leases.kind.group], resources: [leases.kind.plural], verbs: ['*'] }],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'base', namespace: own },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'base' },
      subjects: [{ kind: 'ServiceAccount', name, namespace: own }],
    },
  ]
}

const everything = ({ own, user }: MatrixScene): KubeObject =>
  ({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: `${own}-everything` },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
  }) as KubeObject

async function missingRights(
  { admin }: MatrixHub,
  user: string,
  needs: readonly RequiredRight[],
): Promise<RequiredRight[]> {
  const [, , namespace] = user.split(':')
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  const missing: RequiredRight[] = []
  for (const resourceAttributes of needs) {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: reviewKind.kind,
      metadata: {},
      spec: { user, groups, resourceAttributes },
    }
    const done = await admin.create(reviewKind, review as never, WRITE)
    if (!done.ok) throw new Error(JSON.stringify(done.error))
    const { allowed } = (done.value as { status?: { allowed?: boolean } }).status ?? {}
    if (!allowed) missing.push(resourceAttributes)
  }
  return missing
}

interface SeenStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  readonly blockers?: readonly { readonly reason: string; readonly message: string }[]
  readonly environments?: readonly SeenStatus[]
}
const statusOf = (o: KubeObject | undefined): SeenStatus =>
  (o as { status?: SeenStatus } | undefined)?.status ?? {}

const isReady = (o: KubeObject | undefined): boolean =>
  statusOf(o).observedGeneration === o?.metadata.generation &&
  statusOf(o).conditions?.find((c) => c.type === 'Ready')?.status === 'True'

/** Effect and refusal of a case, where they are not as its rights ask. */
function problems(
  { path, scene }: MatrixCase,
  missing: readonly RequiredRight[],
  find: FindObject,
): string[] {
  const hasEffect = path.hasEffect(scene, find)
  const said = path.said?.(scene, find) ?? saidOf(scene, find)
  if (missing.length === 0) return hasEffect ? [] : [`allowed, without effect: ${said.join(' | ')}`]
  // A value that may be read is used or not: its list is answered before its watch is refused.
  if (hasEffect && path.isRead && missing.every((r) => r.verb === 'watch')) return []
  const out = hasEffect ? [`an effect without ${missing.map(rightText).join(', ')}`] : []
  if (path.isPartlyApplied(scene, find)) out.push('partly applied')
  const refusals = said.filter((b) => path.refusal.test(b))
  if (!refusals.some((b) => missing.some((r) => names(b, scene.user, r))))
    out.push(`lacks ${missing.map(rightText).join(', ')}, which is not said: ${said.join(' | ')}`)
  return out
}

const saidOf = ({ own }: MatrixScene, find: FindObject): string[] => {
  const status = statusOf(find(modules.kind, CASE, own))
  return blockersText(status)
}

const rightText = ({ verb, group, resource, namespace, name }: RequiredRight): string =>
  [verb, resource, group, `${namespace ?? ''}/${name ?? ''}`].join(' ')

/** In our words, in those of the API server, or in those of the policy `lockstep-act-as`; of a named object the name may be omitted. */
function names(
  text: string,
  user: string,
  { verb, group, resource, namespace, name }: RequiredRight,
): boolean {
  const of = group === '' ? resource : `${resource}.${group}`
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`
  const words = [
    ...['', `/${name}`].map((n) => `${user} cannot ${verb} ${of}${n}${where} on hub`),
    `User "${user}" cannot ${verb} resource "${resource}" in API group "${group}"`,
  ]
  if (verb === 'impersonate') words.push(`${user} may not act as ServiceAccount ${namespace}/${name}`)
  return words.some((w) => text.includes(w))
}

const WRITING = ['create', 'update', 'patch', 'delete']

/** No request for the object is sent with the rights of the controller; without the rights of the account none is committed. */
function requestProblems(
  { path, scene: { of, namespace = '', name } }: MatrixCase,
  missing: readonly RequiredRight[],
  audit: readonly AuditEntry[],
): string[] {
  const { group, plural } = of.kind
  const about = audit.filter(
    (e) =>
      e.agent.startsWith(CONTROLLER_AGENT) &&
      e.group === group &&
      e.resource === plural &&
      e.namespace === namespace &&
      e.name === name,
  )
  const own = about.filter((e) => e.impersonated === undefined && !path.isRecord)
  // The first delivery had all rights.
  const verbs = path.delivered ? ['delete'] : WRITING
  const committed = about.filter(
    (e) => e.impersonated !== undefined && verbs.includes(e.verb) && e.code !== undefined && e.code < 300,
  )
  return [
    ...own.map((e) => `${e.verb} with the rights of the controller`),
    ...(missing.length === 0 ? [] : committed.map((e) => `${e.verb} was committed`)),
  ]
}

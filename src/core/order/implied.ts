import { at, isArray, isString, type KubeObject, parseApiVersion } from '../../object/object.ts'
import { definedKind } from './definition.ts'
import type { Ask, Strength } from './graph.ts'
import { configOf, podSpecOf, serviceAccountOf } from './podspec.ts'

/** An edge that manifests imply without saying so: a Namespace before what is in it, an account before who runs as it. */
export interface Implied {
  readonly from: KubeObject
  readonly to: KubeObject
  readonly ask: Ask
  readonly strength: Strength
  readonly why: string
}

/** One row of the table. `index` finds objects of the bundle. Rows are laid in this order. */
type Row = (to: KubeObject, index: BundleIndex) => readonly Implied[]

export class BundleIndex {
  private readonly byId = new Map<string, KubeObject>()
  private readonly bindingsOf = new Map<string, KubeObject[]>()
  private readonly crds = new Map<string, KubeObject>()

  constructor(objects: readonly KubeObject[]) {
    for (const o of objects) {
      const { group } = parseApiVersion(o.apiVersion)
      this.byId.set(key(group, o.kind, o.metadata.namespace, o.metadata.name), o)
      const defined = definedKind(o)
      if (defined !== undefined) this.crds.set(defined, o)
      if (o.kind === 'RoleBinding' || o.kind === 'ClusterRoleBinding') this.indexBinding(o)
    }
  }

  find(group: string, kind: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.byId.get(key(group, kind, namespace, name))
  }

  crdOf(group: string, kind: string): KubeObject | undefined {
    return this.crds.get(`${group}/${kind}`)
  }

  /** Bindings that name this service account. */
  bindings(namespace: string, account: string): readonly KubeObject[] {
    return this.bindingsOf.get(`${namespace}/${account}`) ?? []
  }

  private indexBinding(binding: KubeObject): void {
    const subjects = at(binding, 'subjects')
    for (const s of isArray(subjects) ? subjects : []) {
      if (at(s, 'kind') !== 'ServiceAccount') continue
      const namespace = at(s, 'namespace') ?? binding.metadata.namespace ?? ''
      const name = at(s, 'name')
      if (!isString(namespace) || !isString(name)) continue
      const account = `${namespace}/${name}`
      this.bindingsOf.set(account, [...(this.bindingsOf.get(account) ?? []), binding])
    }
  }
}

const key = (group: string, kind: string, namespace: string | undefined, name: string | undefined): string =>
  `${group}/${kind}/${namespace ?? ''}/${name ?? ''}`

const inNamespace: Row = (to, index) => {
  const { namespace } = to.metadata
  const from = namespace ? index.find('', 'Namespace', undefined, namespace) : undefined
  return from ? [{ from, to, ask: 'Applied', strength: 'Required', why: 'namespace' }] : []
}

const ofDefinition: Row = (to, index) => {
  const from = index.crdOf(parseApiVersion(to.apiVersion).group, to.kind)
  return from ? [{ from, to, ask: 'Served', strength: 'Required', why: 'CustomResourceDefinition' }] : []
}

const RBAC = 'rbac.authorization.k8s.io'

const roleOfBinding: Row = (to, index) => {
  if (to.kind !== 'RoleBinding' && to.kind !== 'ClusterRoleBinding') return []
  const kind = at(to, 'roleRef', 'kind')
  const name = at(to, 'roleRef', 'name')
  if (!isString(kind) || !isString(name)) return []
  const from = index.find(RBAC, kind, kind === 'Role' ? to.metadata.namespace : undefined, name)
  return from ? [{ from, to, ask: 'Applied', strength: 'Preferred', why: 'roleRef' }] : []
}

const accountOfWorkload: Row = (to, index) => {
  const podSpec = podSpecOf(to)
  const { namespace } = to.metadata
  if (podSpec === undefined || !namespace) return []
  const account = serviceAccountOf(podSpec)
  const object = index.find('', 'ServiceAccount', namespace, account)
  const before = [...(object ? [object] : []), ...index.bindings(namespace, account)]
  return before.map((from) => ({
    from,
    to,
    ask: 'Applied',
    strength: 'Preferred',
    why: 'serviceAccountName',
  }))
}

const configOfWorkload: Row = (to, index) => {
  const podSpec = podSpecOf(to)
  if (podSpec === undefined) return []
  const found: Implied[] = []
  for (const ref of configOf(podSpec)) {
    const [kind, name] = ref.split('/') as [string, string]
    const from = index.find('', kind, to.metadata.namespace, name)
    if (from) found.push({ from, to, ask: 'Applied', strength: 'Preferred', why: `reads ${kind}` })
  }
  return found
}

const rows: readonly Row[] = [inNamespace, ofDefinition, roleOfBinding, accountOfWorkload, configOfWorkload]

/** All implied edges, row by row. */
export function impliedEdges(objects: readonly KubeObject[]): Implied[] {
  const index = new BundleIndex(objects)
  return rows.flatMap((row) => objects.flatMap((o) => row(o, index)))
}

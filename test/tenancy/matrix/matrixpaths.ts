/** Paths on which a request is sent on behalf of an account, and what each needs. One table for all servers. */
import type { Kind, KubeObject } from '../../../packages/kube/src/object/index.ts'
import { apiVersionOf } from '../../../packages/kube/src/object/objectref.ts'
import { configMaps, jobs, leases, type MatrixKind, modules, secrets } from './matrixkinds.ts'
import {
  type MatrixPlace,
  type MatrixScene,
  matrixObject,
  type NeededRight,
  VALUE,
  valueOf,
} from './matrixscene.ts'

/** Finds an object as it is on the hub. */
export type FindObject = (kind: Kind, name: string, namespace?: string) => KubeObject | undefined

export interface MatrixPath {
  readonly name: string
  readonly places: readonly MatrixPlace[]
  /** The only kind that it takes; undefined: those of `takes`. */
  readonly kind?: MatrixKind
  takes(kind: MatrixKind): boolean
  needs(s: MatrixScene): NeededRight[]
  /** What an administrator has made before. */
  before(s: MatrixScene): KubeObject[]
  /** Delivered while the account may do everything; its rights are taken away before `asked`. */
  readonly delivered?: (s: MatrixScene) => KubeObject[]
  asked(s: MatrixScene): KubeObject[]
  /** The object was written, or deleted; its value was used; an edge is open. */
  hasEffect(s: MatrixScene, find: FindObject): boolean
  /** A refusal leaves all of it as it was. */
  isPartlyApplied(s: MatrixScene, find: FindObject): boolean
  readonly refusal: RegExp
}

const OLD = 'v1'
const NEW = 'v2'
const OUT = 'out'
const READS = ['get', 'list', 'watch']
const WRITES = ['create', 'patch', 'delete']

/** Rights on one object: lists and watches of the hub unit are of all that the account may read. */
const rightsOn = (
  { of: { kind }, namespace, name }: Pick<MatrixScene, 'of' | 'namespace' | 'name'>,
  verbs: readonly string[],
  isCached: boolean,
): NeededRight[] =>
  verbs.map((verb) => {
    const right = { verb, group: kind.group, resource: kind.plural, namespace }
    return isCached && (verb === 'list' || verb === 'watch') ? right : { ...right, name }
  })

const lease = ({ own }: MatrixScene, value: string): KubeObject =>
  matrixObject({ of: leases, namespace: own, name: OUT }, value)

const isDelivered = ({ own }: MatrixScene, find: FindObject, value = NEW): boolean =>
  valueOf(find(leases.kind, OUT, own)) === value

const found = ({ of, name, namespace }: MatrixScene, find: FindObject): KubeObject | undefined =>
  find(of.kind, name, namespace)

const own = (kind: string, { own: namespace, account }: MatrixScene, spec: object): KubeObject =>
  ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind,
    metadata: { name: CASE, namespace },
    spec: { ...spec, ...(account !== undefined && { serviceAccountName: account }) },
  }) as KubeObject

/** Name of the Module, or Pipeline, of a case. */
export const CASE = 'case'

const hubModule = (s: MatrixScene, objects: readonly object[], more: object = {}): KubeObject =>
  own('Module', s, { targets: { hub: true }, source: { inline: { objects } }, ...more })

const FORBIDDEN = /^Forbidden: /

const write = (name: string, o: Partial<MatrixPath> & Pick<MatrixPath, 'asked' | 'hasEffect'>): MatrixPath => ({
  name: `hub unit, ${name}`,
  places: ['Own', 'Other', 'Cluster'],
  takes: () => true,
  needs: (s) => rightsOn(s, [...READS, ...WRITES], true),
  before: () => [],
  isPartlyApplied: (s, find) => find(leases.kind, OUT, s.own) !== undefined,
  refusal: FORBIDDEN,
  ...o,
})

const JOB = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } }

const writes: readonly MatrixPath[] = [
  write('create', {
    asked: (s) => [hubModule(s, [matrixObject(s, NEW), lease(s, NEW)])],
    hasEffect: (s, find) => valueOf(found(s, find)) === NEW,
  }),
  write('patch', {
    before: (s) => [matrixObject(s, OLD)],
    asked: (s) => [hubModule(s, [matrixObject(s, NEW), lease(s, NEW)])],
    hasEffect: (s, find) => valueOf(found(s, find)) === NEW,
  }),
  write('prune', {
    delivered: (s) => [hubModule(s, [matrixObject(s, OLD), lease(s, OLD)])],
    asked: (s) => [hubModule(s, [lease(s, NEW)])],
    hasEffect: (s, find) => found(s, find) === undefined,
    isPartlyApplied: (s, find) => !isDelivered(s, find, OLD),
  }),
  write('hook', {
    kind: { ...jobs, fields: { spec: JOB } },
    places: ['Own', 'Other'],
    asked: (s) => [hubModule(s, [hook(s), lease(s, NEW)])],
    hasEffect: (s, find) => found(s, find) !== undefined,
  }),
]

const hook = (s: MatrixScene): KubeObject => {
  const { metadata, ...job } = matrixObject(s, NEW)
  const annotations = { ...metadata.annotations, 'argocd.argoproj.io/hook': 'PreSync' }
  return { ...job, metadata: { ...metadata, annotations } } as KubeObject
}

/** Reads for a Module that delivers a Lease with what it has read. */
const read = (
  name: string,
  o: Partial<MatrixPath> & Pick<MatrixPath, 'before' | 'asked' | 'refusal'>,
): MatrixPath => ({
  name,
  places: ['Own'],
  takes: () => true,
  needs: (s) => rightsOn(s, READS, s.of.kind.kind === 'ConfigMap'),
  hasEffect: (s, find) => isDelivered(s, find),
  isPartlyApplied: () => false,
  ...o,
})

const withData = (s: MatrixScene, data: Readonly<Record<string, string>>): KubeObject => {
  const isSecret = s.of.kind.kind === 'Secret'
  return { ...matrixObject(s, NEW), ...(isSecret ? { stringData: data } : { data }) } as KubeObject
}

const source = (kind: MatrixKind, field: string): MatrixPath =>
  read(`${kind.kind.kind} as a source`, {
    kind,
    before: (s) => [withData(s, { 'a.yaml': JSON.stringify(lease(s, NEW)) })],
    asked: (s) => [
      own('Module', s, { targets: { hub: true }, source: { [field]: [{ name: s.name }] } }),
    ],
    refusal: FORBIDDEN,
  })

const bound = (s: MatrixScene, how: object): KubeObject =>
  hubModule(s, [lease(s, '$(x)')], { bindings: [{ name: 'x', ...how }] })

const keyBinding = (kind: MatrixKind, field: string): MatrixPath =>
  read(`binding ${field}`, {
    kind,
    before: (s) => [withData(s, { key: NEW })],
    asked: (s) => [bound(s, { [field]: { name: s.name, key: 'key' } })],
    refusal: /^BindingUnresolved: /,
  })

const fieldBinding = (field: string, places: readonly MatrixPlace[]): MatrixPath =>
  read(`binding ${field}`, {
    places,
    takes: ({ kind }) => kind.kind !== 'Secret',
    needs: (s) => rightsOn(s, READS, false),
    before: (s) => [matrixObject(s, NEW)],
    asked: (s) => {
      const { of, namespace, name } = s
      const apiVersion = apiVersionOf(of.kind)
      const at = field === 'workloadFieldRef' && namespace !== undefined ? { namespace } : {}
      const fieldPath = `metadata.annotations["${VALUE}"]`
      return [bound(s, { [field]: { apiVersion, kind: of.kind.kind, name, fieldPath, ...at } })]
    },
    refusal: /^BindingUnresolved: /,
  })

const edge = read('object edge', {
  places: ['Own', 'Other', 'Cluster'],
  needs: (s) => rightsOn(s, READS, false),
  before: (s) => [matrixObject(s, NEW)],
  asked: (s) => {
    const { of, namespace, name } = s
    const object = { apiVersion: apiVersionOf(of.kind), kind: of.kind.kind, name, ...(namespace && { namespace }) }
    const readyExpr = `object.metadata.annotations["${VALUE}"] == "${NEW}"`
    return [hubModule(s, [lease(s, NEW)], { dependsOn: [{ id: 'x', object, readyExpr }] })]
  },
  refusal: / cannot /,
})

export const matrixPaths: readonly MatrixPath[] = [
  ...writes,
  source(configMaps, 'configMaps'),
  source(secrets, 'secrets'),
  keyBinding(configMaps, 'configMapKeyRef'),
  keyBinding(secrets, 'secretKeyRef'),
  fieldBinding('objectFieldRef', ['Own']),
  fieldBinding('workloadFieldRef', ['Own', 'Other', 'Cluster']),
  edge,
]

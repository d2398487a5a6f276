/** Paths on which a request is sent on behalf of an account, and what each needs. One table for all servers. */
import type { Lease } from '../../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../../packages/kube/src/object/index.ts'
import { apiVersionOf } from '../../../packages/kube/src/object/objectref.ts'
import { configMaps, jobs, leases, type MatrixKind, secrets } from './matrixkinds.ts'
import {
  CACHED,
  caseObject,
  type FindObject,
  FORBIDDEN,
  type MatrixPath,
  NEW,
  OLD,
  READS,
  rightsOn,
  WRITES,
} from './matrixpath.ts'
import { type MatrixPlace, type MatrixScene, matrixObject, VALUE, valueIn } from './matrixscene.ts'
import { modulePaths } from './modulepaths.ts'

const OUT = 'out'

const lease = ({ own }: MatrixScene, value: string): KubeObject =>
  ({
    apiVersion: apiVersionOf(leases.kind),
    kind: leases.kind.kind,
    metadata: { name: OUT, namespace: own },
    // Values of Secrets are not for metadata.
    spec: { holderIdentity: value },
  }) as KubeObject

const isDelivered = ({ own }: MatrixScene, find: FindObject, value = NEW): boolean =>
  (find(leases.kind, OUT, own) as Lease | undefined)?.spec?.holderIdentity === value

const found = ({ of, name, namespace }: MatrixScene, find: FindObject): KubeObject | undefined =>
  find(of.kind, name, namespace)

const hubModule = (s: MatrixScene, objects: readonly object[], more: object = {}): KubeObject =>
  caseObject('Module', s, { targets: { hub: true }, source: { inline: { objects } }, ...more })

const write = (
  name: string,
  o: Partial<MatrixPath> & Pick<MatrixPath, 'asked' | 'hasEffect'>,
): MatrixPath => ({
  name: `hub unit, ${name}`,
  places: ['Own', 'Other', 'Cluster'],
  takes: () => true,
  needs: (s) => rightsOn(s, [...READS, ...WRITES], CACHED),
  before: () => [],
  isPartlyApplied: (s, find) => find(leases.kind, OUT, s.own) !== undefined,
  refusal: FORBIDDEN,
  ...o,
})

const JOB = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } }

const writes: readonly MatrixPath[] = [
  write('create', {
    asked: (s) => [hubModule(s, [matrixObject(s, NEW), lease(s, NEW)])],
    hasEffect: (s, find) => valueIn(found(s, find)) === NEW,
  }),
  write('patch', {
    before: (s) => [matrixObject(s, OLD)],
    asked: (s) => [hubModule(s, [matrixObject(s, NEW), lease(s, NEW)])],
    hasEffect: (s, find) => valueIn(found(s, find)) === NEW,
  }),
  write('prune', {
    needs: (s) => rightsOn(s, [...READS, 'delete'], CACHED),
    delivered: (s) => [hubModule(s, [matrixObject(s, OLD), lease(s, OLD)])],
    asked: (s) => [hubModule(s, [lease(s, NEW)])],
    hasEffect: (s, find) => found(s, find) === undefined,
    isPartlyApplied: (s, find) => !isDelivered(s, find, OLD),
  }),
  write('hook', {
    kind: { ...jobs, fields: { spec: JOB } },
    places: ['Own', 'Other'],
    // A hook is posted, without its name in the path.
    needs: (s) => rightsOn(s, [...READS, ...WRITES], [...CACHED, 'create']),
    asked: (s) => [hubModule(s, [hook(s), lease(s, NEW)])],
    hasEffect: (s, find) => found(s, find) !== undefined,
  }),
]

const hook = (s: MatrixScene): KubeObject => {
  const { metadata, ...job } = matrixObject(s, NEW)
  const annotations = { ...metadata.annotations, 'argocd.argoproj.io/hook': 'PreSync' }
  return { ...job, metadata: { ...metadata, annotations } } as KubeObject
}

/** Reads for a Module that delivers a Lease with the value. */
const read = (
  name: string,
  o: Partial<MatrixPath> & Pick<MatrixPath, 'before' | 'asked' | 'refusal'>,
): MatrixPath => ({
  name,
  isRead: true,
  places: ['Own'],
  takes: () => true,
  needs: (s) => rightsOn(s, READS, s.of.kind.kind === 'ConfigMap' ? CACHED : []),
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
      caseObject('Module', s, { targets: { hub: true }, source: { [field]: [{ name: s.name }] } }),
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
    needs: (s) => rightsOn(s, READS, []),
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

const edge = read('object dependency', {
  places: ['Own', 'Other', 'Cluster'],
  // Lists of one object: no get is sent.
  needs: (s) => rightsOn(s, CACHED, []),
  before: (s) => [matrixObject(s, NEW)],
  asked: (s) => {
    const { of, namespace, name } = s
    const object = {
      apiVersion: apiVersionOf(of.kind),
      kind: of.kind.kind,
      name,
      ...(namespace && { namespace }),
    }
    const readyExpr = `object.metadata.annotations["${VALUE}"] == "${NEW}"`
    return [hubModule(s, [lease(s, NEW)], { dependsOn: [{ id: 'x', object, readyExpr }] })]
  },
  refusal: FORBIDDEN,
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
  ...modulePaths,
]

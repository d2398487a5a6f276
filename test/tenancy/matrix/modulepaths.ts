/** Paths of Pipelines and of ClusterResourceSets: they read, patch and create Modules. */
import type { Kind, KubeObject } from '../../../packages/kube/src/object/index.ts'
import { apiVersionOf } from '../../../packages/kube/src/object/objectref.ts'
import { DEFAULT_SERVICE_ACCOUNT } from '../../../packages/lockstep/src/api/account.ts'
import { resourceSetKinds } from '../../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import { pipelineKind } from '../../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { promotionKind } from '../../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { SERVICE_ACCOUNT_ANNOTATION } from '../../../packages/lockstep/src/api/labels.ts'
import { companionName } from '../../../packages/lockstep/src/decisions/resourceset/companionspec.ts'
import { modules } from './matrixkinds.ts'
import {
  blockersText,
  CACHED,
  CASE,
  caseObject,
  type FindObject,
  FORBIDDEN,
  type MatrixPath,
  NEW,
  rightsOn,
} from './matrixpath.ts'
import { type MatrixScene, matrixObject, type RequiredRight } from './matrixscene.ts'

const CHECKPOINT = { source: { none: {} }, targets: { hub: true } }
const of = { ...modules, fields: { spec: CHECKPOINT } }
const OLD_RELEASE = '1.0.0'
const NEW_RELEASE = '2.0.0'
const setKind = resourceSetKinds[0] as unknown as Kind

const pipeline = (s: MatrixScene, environments: readonly object[]): KubeObject =>
  caseObject('Pipeline', s, {
    identity: s.own,
    appRef: { apiVersion: apiVersionOf(modules.kind), kind: 'Module', name: s.name },
    revisionExpr: 'object.spec.release',
    environments,
  })

interface SeenPipeline {
  readonly status?: { readonly environments?: readonly SeenEnvironment[] }
}
type SeenEnvironment = Parameters<typeof blockersText>[0] & {
  readonly targets?: readonly { readonly revision?: string; readonly reason?: string }[]
  readonly promotion?: string
}
const environmentsOf = ({ own }: MatrixScene, find: FindObject) =>
  (find(pipelineKind as unknown as Kind, CASE, own) as SeenPipeline | undefined)?.status?.environments ?? []

const ofPipeline: Pick<MatrixPath, 'kind' | 'takes' | 'isPartlyApplied' | 'isRecord' | 'said'> = {
  kind: of,
  takes: () => true,
  isPartlyApplied: () => false,
  // The controller writes finalizers and statuses of Modules.
  isRecord: true,
  said: (s: MatrixScene, find: FindObject) =>
    environmentsOf(s, find).flatMap((e) => {
      const made = e.promotion && find(promotionKind as unknown as Kind, e.promotion, s.own)
      return [...blockersText(e), ...blockersText((made as { status?: SeenEnvironment })?.status ?? {})]
    }),
}

const application = (s: MatrixScene, namespace: string, release?: string): KubeObject =>
  matrixObject(
    {
      of: { ...of, fields: { spec: { ...CHECKPOINT, ...(release && { release }) } } },
      namespace,
      name: s.name,
    },
    NEW,
  )

const target: MatrixPath = {
  ...ofPipeline,
  name: 'Pipeline target',
  places: ['Own', 'Other'],
  // Lists of one object: no get is sent.
  needs: (s) => rightsOn(s, CACHED, []),
  before: (s) => [application(s, s.namespace!, NEW_RELEASE)],
  asked: (s) => [pipeline(s, [{ name: 'one', targets: [{ namespace: s.namespace }] }])],
  // A revision that is only remembered does not count.
  hasEffect: (s, find) => {
    const { revision, reason } = environmentsOf(s, find)[0]?.targets?.[0] ?? {}
    return revision === NEW_RELEASE && reason !== 'TargetUnreachable'
  },
  refusal: /^TargetUnreachable: /,
}

/** A user who changes a Module must be able to act as its account. */
const actingAs = (namespace: string, name = DEFAULT_SERVICE_ACCOUNT): RequiredRight => ({
  verb: 'impersonate',
  group: '',
  resource: 'serviceaccounts',
  namespace,
  name,
})

const releaseOf = (s: MatrixScene, find: FindObject): unknown =>
  (find(modules.kind, s.name, s.other) as { spec?: { release?: string } } | undefined)?.spec?.release

const promotion: MatrixPath = {
  ...ofPipeline,
  name: 'strategy module',
  places: ['Other'],
  needs: (s) => [
    ...rightsOn({ ...s, namespace: s.own }, CACHED, []),
    ...rightsOn(s, [...CACHED, 'get', 'patch'], []),
    actingAs(s.other),
  ],
  before: (s) => [application(s, s.own, NEW_RELEASE), application(s, s.other)],
  handedOver: (s) => {
    const { apiVersion, kind } = application(s, s.other)
    const metadata = { name: s.name, namespace: s.other }
    return [{ apiVersion, kind, metadata, spec: { release: OLD_RELEASE } } as KubeObject]
  },
  asked: (s) => [
    pipeline(s, [
      { name: 'one', targets: [{ namespace: s.own }] },
      { name: 'two', targets: [{ namespace: s.other }], promotion: { strategy: 'module' } },
    ]),
  ],
  hasEffect: (s, find) => releaseOf(s, find) === NEW_RELEASE,
  refusal: /^(TargetUnreachable|Forbidden): /,
}

interface SeenSet {
  readonly status?: { readonly conditions?: readonly { readonly reason: string; readonly message: string }[] }
}

const generated: MatrixPath = {
  name: 'generated Module',
  places: ['Own'],
  kind: of,
  takes: () => true,
  needs: (s) => [
    ...rightsOn({ ...s, name: companionName(s.name) }, ['create', 'patch'], []),
    actingAs(s.own, s.account),
  ],
  before: () => [],
  asked: ({ own: namespace, name, account }) => [
    {
      apiVersion: apiVersionOf(setKind),
      kind: setKind.kind,
      metadata: {
        name,
        namespace,
        annotations: {
          'lockstep.dev/mode': 'Continuous',
          ...(account !== undefined && { [SERVICE_ACCOUNT_ANNOTATION]: account }),
        },
      },
      spec: {
        clusterSelector: { matchLabels: { a: 'b' } },
        resources: [{ kind: 'ConfigMap', name: 'none' }],
      },
    } as KubeObject,
  ],
  hasEffect: ({ own, name }, find) => find(modules.kind, companionName(name), own) !== undefined,
  isPartlyApplied: () => false,
  refusal: FORBIDDEN,
  said: ({ own, name }, find) => {
    const { status } = (find(setKind, name, own) ?? {}) as SeenSet
    return (status?.conditions ?? []).map((c) => `${c.reason}: ${c.message}`)
  },
}

export const modulePaths: readonly MatrixPath[] = [target, promotion, generated]

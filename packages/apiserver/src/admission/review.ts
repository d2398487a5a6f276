import type { JsonObject, KubeObject } from '@lockstep/kube/object'
import type { User } from '../auth/user.ts'
import { userInfo } from '../auth/userinfo.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'

/** A write that is about to be made, as admission looks at it. */
export interface Review {
  readonly cluster: EmbeddedCluster
  readonly kind: ServedKind
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Absent: it is deleted. */
  readonly object: KubeObject | undefined
  /** Absent: it is new. */
  readonly old: KubeObject | undefined
  readonly user: User
  readonly dryRun: boolean
  readonly manager: string
  readonly warn: (text: string) => void
  /** The objects are no objects of the kind. */
  readonly shape?: ReviewShape | undefined
}

/** What a subresource shows of an object. */
export interface ReviewShape {
  readonly group: string
  readonly version: string
  readonly kind: string
  of(o: KubeObject): KubeObject
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

/** The `request` of expressions; `shown`: the version in which a policy asked for the object (admission/v1 AdmissionRequest). */
export function requestOf(r: Review, shown: ServedKind): JsonObject {
  const part = r.subresource || undefined
  return {
    kind: kindOf(r.shape ?? shown.info),
    resource: resourceOf(shown),
    subResource: part,
    requestKind: kindOf(r.shape ?? r.kind.info),
    requestResource: resourceOf(r.kind),
    requestSubResource: part,
    name: r.name || undefined,
    namespace: r.namespace || undefined,
    operation: r.operation,
    userInfo: userInfo(r.user),
    dryRun: r.dryRun,
    options: {
      kind: OPTIONS[r.operation],
      apiVersion: 'meta.k8s.io/v1',
      ...(r.dryRun ? { dryRun: ['All'] } : {}),
      ...(r.operation === 'DELETE' ? {} : { fieldManager: r.manager }),
    },
  }
}

const kindOf = ({ group, version, kind }: Omit<ReviewShape, 'of'>): JsonObject => ({ group, version, kind })

const resourceOf = ({ info }: ServedKind): JsonObject => ({
  group: info.group,
  version: info.version,
  resource: info.plural,
})

/** As whom requests are sent that objects of people ask for: a ServiceAccount of the hub. */
import { SERVICE_ACCOUNT_ANNOTATION } from './labels.ts'

/** Account of objects that name none. */
export const DEFAULT_SERVICE_ACCOUNT = 'lockstep-deployer'

/** `name` undefined: the default account of the namespace. */
export interface Account {
  readonly namespace: string
  readonly name?: string | undefined
}

interface ActingObject {
  readonly metadata: {
    readonly namespace?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: { readonly serviceAccountName?: string | undefined }
}

/** The account of a Module or Pipeline: always of its own namespace. */
export const accountOf = ({ metadata, spec }: ActingObject): Account => ({
  namespace: metadata.namespace ?? '',
  name: spec?.serviceAccountName,
})

/** That of a ClusterResourceSet, whose spec is upstream's. */
export const accountOfSet = ({ metadata }: Pick<ActingObject, 'metadata'>): Account => ({
  namespace: metadata.namespace ?? '',
  name: metadata.annotations?.[SERVICE_ACCOUNT_ANNOTATION] || undefined,
})

/** A right that an account lacks on the hub. */
export interface MissingRight {
  /** `system:serviceaccount:<namespace>:<name>` */
  readonly user: string
  readonly verb: string
  /** `configmaps`, `deployments.apps`; one object: `secrets/db`. */
  readonly resource: string
  /** Undefined: of the whole hub. */
  readonly namespace?: string | undefined
}

export const missingRightText = ({ user, verb, resource, namespace }: MissingRight): string =>
  `${user} cannot ${verb} ${resource}${namespace === undefined ? '' : ` in namespace ${namespace}`} on hub`

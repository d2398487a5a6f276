/** As whom requests are sent that objects of people ask for: a ServiceAccount of the hub. */
import type { SelfSubjectAccessReview } from '@lockstep/kube/kinds'
import { SERVICE_ACCOUNT_ANNOTATION } from './labels.ts'

/** Account of objects that name none. */
export const DEFAULT_SERVICE_ACCOUNT = 'lockstep-deployer'

/** `name` undefined: the default account of the namespace. */
export interface Account {
  readonly namespace: string
  readonly name?: string | undefined
}

/** Key of the ServiceAccount. */
export const accountKey = ({ namespace, name = DEFAULT_SERVICE_ACCOUNT }: Account) => ({ namespace, name })

/** The user as whom requests for an account are sent. */
export function userOfAccount(account: Account): string {
  const { namespace, name } = accountKey(account)
  return `system:serviceaccount:${namespace}:${name}`
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

/** A right to requests for objects of one resource. */
export interface AccessRight {
  readonly verb: string
  readonly group: string
  /** `pods`, `pods/log`. */
  readonly resource: string
  /** Undefined: a right on the whole hub. */
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

/** A right that an account lacks on the hub. */
export interface MissingRight {
  /** `system:serviceaccount:<namespace>:<name>` */
  readonly user: string
  readonly verb: string
  /** `configmaps`, `deployments.apps`; one object: `secrets/db`. */
  readonly resource: string
  /** Undefined: of the whole hub. */
  readonly namespace?: string | undefined
  /** The account does not exist. */
  readonly absent?: true
}

/** `team-a/web` */
export const accountText = ({ user }: Pick<MissingRight, 'user'>): string =>
  user.split(':').slice(2).join('/')

export const missingRightText = (right: MissingRight): string =>
  right.absent ? `ServiceAccount ${accountText(right)} does not exist` : lackText(right)

const lackText = ({ user, verb, resource, namespace }: MissingRight): string =>
  `${user} cannot ${verb} ${resource}${namespace === undefined ? '' : ` in namespace ${namespace}`} on hub`

/** As messages name it. */
export const missingRight = (
  user: string,
  { verb, group, resource, namespace, name }: AccessRight,
): MissingRight => ({
  user,
  verb,
  resource: `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : `/${name}`}`,
  ...(namespace === undefined ? {} : { namespace }),
})

/** Asks whether the user of the request holds a right. */
export function accessReviewOf(right: AccessRight): SelfSubjectAccessReview {
  const { verb, group, namespace, name } = right
  const [resource = '', subresource] = right.resource.split('/')
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {} as never,
    spec: {
      resourceAttributes: {
        verb,
        group,
        resource,
        ...(subresource === undefined ? {} : { subresource }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(name === undefined ? {} : { name }),
      },
    },
  }
}

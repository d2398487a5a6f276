/** A path on which requests are sent on behalf of an account. */
import type { Kind, KubeObject } from '../../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../../packages/lockstep/src/api/apiversion.ts'
import type { MatrixKind } from './matrixkinds.ts'
import type { MatrixPlace, MatrixScene, RequiredRight } from './matrixscene.ts'

/** Finds an object as it is on the hub. */
export type FindObject = (kind: Kind, name: string, namespace?: string) => KubeObject | undefined

export interface MatrixPath {
  readonly name: string
  readonly places: readonly MatrixPlace[]
  /** The only kind that it takes; undefined: those of `takes`. */
  readonly kind?: MatrixKind
  takes(kind: MatrixKind): boolean
  needs(s: MatrixScene): RequiredRight[]
  /** Made by an administrator before. */
  before(s: MatrixScene): KubeObject[]
  /** Fields that promotions own. */
  readonly handedOver?: (s: MatrixScene) => KubeObject[]
  /** Delivered while the account may do everything; its rights are taken away before `asked`. */
  readonly delivered?: (s: MatrixScene) => KubeObject[]
  asked(s: MatrixScene): KubeObject[]
  /** The object was written, or deleted; its value was used; an edge is open. */
  hasEffect(s: MatrixScene, find: FindObject): boolean
  /** A part of a refused unit was written. */
  isPartlyApplied(s: MatrixScene, find: FindObject): boolean
  readonly refusal: RegExp
  /** The object is only read. */
  readonly isRead?: true
  /** The object is one that the controller writes its records to, too. */
  readonly isRecord?: true
  /** Texts in which a refusal is reported; undefined: blockers of the Module of the case. */
  readonly said?: (s: MatrixScene, find: FindObject) => readonly string[]
}

export const OLD = 'v1'
export const NEW = 'v2'
export const READS = ['get', 'list', 'watch']
export const WRITES = ['create', 'patch', 'delete']
/** One cache serves all objects of a kind in a namespace. */
export const CACHED = ['list', 'watch']

/** Rights on one object. `ofAll`: verbs of requests that do not name it. */
export const rightsOn = (
  { of: { kind }, namespace, name }: Pick<MatrixScene, 'of' | 'namespace' | 'name'>,
  verbs: readonly string[],
  ofAll: readonly string[],
): RequiredRight[] =>
  verbs.map((verb) => {
    const right = { verb, group: kind.group, resource: kind.plural, namespace }
    return ofAll.includes(verb) ? right : { ...right, name }
  })

/** Name of the object of ours that a case is about. */
export const CASE = 'case'

export const caseObject = (
  kind: string,
  { own: namespace, account }: MatrixScene,
  spec: object,
): KubeObject =>
  ({
    apiVersion: API_VERSION,
    kind,
    metadata: { name: CASE, namespace },
    spec: { ...spec, ...(account !== undefined && { serviceAccountName: account }) },
  }) as KubeObject

interface SeenBlockers {
  readonly blockers?: readonly { readonly reason: string; readonly message: string }[]
}

/** `Reason: message` of each. */
export const blockersText = ({ blockers = [] }: SeenBlockers): string[] =>
  blockers.map((b) => `${b.reason}: ${b.message}`)

export const FORBIDDEN = /^Forbidden: /

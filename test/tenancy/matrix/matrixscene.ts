/** Scene of a case of the matrix: an account, a place, an object. */
import type { KubeObject } from '../../../packages/kube/src/object/index.ts'
import { apiVersionOf } from '../../../packages/kube/src/object/objectref.ts'
import type { MatrixKind } from './matrixkinds.ts'

/** Where the object is. */
export type MatrixPlace = 'Own' | 'Other' | 'Cluster'

/** A request without which a path has no effect. */
export interface RequiredRight {
  readonly verb: string
  readonly group: string
  /** Plural. */
  readonly resource: string
  /** Undefined: of the whole hub. */
  readonly namespace?: string | undefined
  /** Undefined: of a list or a watch. */
  readonly name?: string | undefined
}

/** An account, and the object of a path. */
export interface MatrixScene {
  /** Namespace of the Module, and of its account. */
  readonly own: string
  readonly other: string
  /** Undefined: the default account. */
  readonly account: string | undefined
  /** `system:serviceaccount:<own>:<account>` */
  readonly user: string
  readonly place: MatrixPlace
  readonly of: MatrixKind
  /** Namespace of the object; undefined: it has none. */
  readonly namespace: string | undefined
  readonly name: string
}

/** The object of a case, with a value. */
export const matrixObject = (
  { of: { kind, fields }, namespace, name }: Pick<MatrixScene, 'of' | 'namespace' | 'name'>,
  value: string,
): KubeObject =>
  ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, ...(namespace && { namespace }), annotations: { [VALUE]: value } },
    ...fields,
  }) as KubeObject

/** Annotation with the value by which a content is recognized. */
export const VALUE = 'matrix.test/value'

export const valueIn = (o: KubeObject | undefined): string | undefined => o?.metadata.annotations?.[VALUE]

/** Objects of the ownership model: as claims name them, as clusters serve them, and as a unit sees them. */
import type { ServedResource } from '../../../packages/kube/src/client/client.ts'
import { identityOf, type KubeObject, type ObjectReference } from '../../../packages/kube/src/object/index.ts'
import {
  INVENTORY_ANNOTATION,
  NONCE_ANNOTATION,
  UNIT_LABEL,
} from '../../../packages/lockstep/src/api/labels.ts'
import { parseClaim } from '../../../packages/lockstep/src/decisions/ownership/objectclaim.ts'
import type { LiveObject } from '../../../packages/lockstep/src/fleet/connection/liveobject.ts'

const DEFINITION = 'apiextensions.k8s.io/CustomResourceDefinition widgets.example.com'

/** Each may be in the bundle of one Module, of several, or of none. Those that others need come first. */
export const PARTS: readonly string[] = [
  'Namespace n0',
  'Namespace n1',
  DEFINITION,
  'PersistentVolumeClaim n0/data',
  'ConfigMap n0/a',
  'ConfigMap n0/b',
  'ConfigMap n1/a',
  'ConfigMap default/plain',
  'example.com/Widget n0/w',
  'example.com/Widget default/w',
]

const GROUP = 'example.com'
const WIDGET = { group: GROUP, kind: 'Widget' }

const refs = new Map(
  PARTS.map((part): [string, ObjectReference] => {
    const { isUnowned: _, ...ref } = parseClaim(part)
    return [part, ref]
  }),
)

export const refOfPart = (part: string): ObjectReference => refs.get(part)!

/** Parts without which a part cannot exist: its Namespace, and the definition of its kind. */
export function neededBy(part: string): string[] {
  const { group, namespace } = refOfPart(part)
  const around = namespace === undefined || namespace === 'default' ? [] : [`Namespace ${namespace}`]
  return group === GROUP ? [...around, DEFINITION] : around
}

/** Parts that the deletion of an object deletes with it. */
export const partsIn = (ref: ObjectReference): string[] =>
  PARTS.filter((part) => neededBy(part).some((p) => identityOf(refOfPart(p)) === identityOf(ref)))

const resource = (group: string, kind: string, namespaced: boolean): ServedResource =>
  ({
    group,
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
    verbs: ['list'],
    preferred: true,
  }) as unknown as ServedResource

/** Kinds that each cluster serves; the last one only with its definition. */
export const RESOURCES: readonly ServedResource[] = [
  resource('', 'Namespace', false),
  resource('apiextensions.k8s.io', 'CustomResourceDefinition', false),
  resource('', 'PersistentVolumeClaim', true),
  resource('', 'ConfigMap', true),
  resource(WIDGET.group, WIDGET.kind, true),
]

export const DEFINITION_ID = identityOf(refOfPart(DEFINITION))
export const isDefinedKind = ({ group, kind }: Pick<ObjectReference, 'group' | 'kind'>): boolean =>
  group === WIDGET.group && kind === WIDGET.kind

/** Marks of an object; undefined: Lockstep did not write it. */
export interface ModelMarks {
  readonly unit: string
  readonly inventory: string
  readonly nonce: string | undefined
}

/** An object on a cluster, as its cache shows it. */
export function modelObject(
  ref: ObjectReference,
  at: { readonly uid: string; readonly resourceVersion: string; readonly marks: ModelMarks | undefined },
): LiveObject {
  const { uid, resourceVersion, marks } = at
  const { unit, inventory, nonce } = marks ?? { unit: undefined, inventory: undefined, nonce: undefined }
  const isDefinition = identityOf(ref) === DEFINITION_ID
  const object = {
    apiVersion: ref.group === '' ? 'v1' : `${ref.group}/v1`,
    kind: ref.kind,
    metadata: {
      name: ref.name,
      ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
      uid,
      resourceVersion,
      ...(unit === undefined ? {} : { labels: { [UNIT_LABEL]: unit } }),
      annotations: {
        ...(inventory === undefined ? {} : { [INVENTORY_ANNOTATION]: inventory }),
        ...(nonce === undefined ? {} : { [NONCE_ANNOTATION]: nonce }),
      },
    },
    ...(isDefinition
      ? { spec: { group: WIDGET.group, names: { kind: WIDGET.kind, plural: 'widgets' } } }
      : {}),
  } as unknown as KubeObject
  return {
    ref,
    version: 'v1',
    uid,
    resourceVersion,
    unit,
    inventory,
    nonce,
    fields: undefined,
    managers: '',
    deleting: false,
    finalizers: [],
    object,
  }
}

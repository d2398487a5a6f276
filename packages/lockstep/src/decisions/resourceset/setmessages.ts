/**
 * Messages to the author of a ClusterResourceSet about what its Module waits for: sets instead of their Modules, and fields
 * of the set. Pure.
 */
import { SET } from '../../api/kinds/index.ts'
import { type StoredFact, setMessageOf, textOf, type WaitRef } from '../../api/reasons/index.ts'
import { SET_API_VERSION } from '../graph/index.ts'

export interface SetMessagesSubject {
  readonly namespace: string
  /** Name of the set's own Module. */
  readonly module: string
  /** Name of the set that a Module of the namespace is of; undefined: of none. */
  setOfModule(name: string): string | undefined
}

/** A blocker of the Module, or of a unit of the set; the fact `origin` is the place of the object in a source. */
export type ModuleBlocker = StoredFact & { readonly message: string }

/** The message of a blocker; the stored one where its facts are of a newer controller. */
export function setMessage(blocker: ModuleBlocker, subject: SetMessagesSubject): string {
  const { on = [], facts = {} } = blocker
  const own = { ...facts, ...(typeof facts.field === 'string' ? { field: setField(facts.field) } : {}) }
  const message = setMessageOf({ ...blocker, on: on.map((ref) => setRef(ref, subject)), facts: own })
  if (message === undefined) return blocker.message
  const text = textOf(message)
  return typeof facts.origin === 'string' ? `${facts.origin}: ${text}` : text
}

/** With its reason, as a condition lists it. */
export const setReasonMessage = (blocker: ModuleBlocker, subject: SetMessagesSubject): string =>
  `${blocker.reason}: ${setMessage(blocker, subject)}`

/** A set in place of its Module. */
function setRef(ref: WaitRef, { namespace, module, setOfModule }: SetMessagesSubject): WaitRef {
  const isModule = (ref.kind === 'Unit' || ref.kind === 'Module') && ref.object === undefined
  const isOther = ref.name === module || (ref.namespace ?? namespace) !== namespace
  const name = isModule && !isOther ? setOfModule(ref.name) : undefined
  if (name === undefined) return ref
  return { ...ref, name, namespace, object: { apiVersion: SET_API_VERSION, kind: 'ClusterResourceSet' } }
}

/** Fields of a Module, and the fields of the set that stand for them. */
const FIELDS = [
  ['spec.source.resources', 'spec.resources'],
  ['spec.dependsOn', SET.dependsOn],
] as const

function setField(field: string): string {
  const found = FIELDS.find(([of]) => field.startsWith(of))
  return found === undefined ? field : `${found[1]}${field.slice(found[0].length)}`
}

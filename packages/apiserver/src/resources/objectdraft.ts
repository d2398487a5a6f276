import { isArray, isObject, type JsonValue, type KubeObject } from '@lockstep/kube/object'

/** An object under construction: nobody else has it, so its members may be set. */
export type ObjectDraft = { [member: string]: JsonValue | undefined }

/** A draft is complete when its pipeline ends; its shape was checked when it was decoded. */
export const asObject = (draft: ObjectDraft): KubeObject => draft as unknown as KubeObject
export const asDraft = (o: KubeObject): ObjectDraft => o as unknown as ObjectDraft

/** The object member `name`, or undefined. Only drafts that were copied in depth may be changed through it. */
export function within(draft: ObjectDraft | undefined, ...path: readonly string[]): ObjectDraft | undefined {
  let here = draft
  for (const name of path) {
    const next = here !== undefined && Object.hasOwn(here, name) ? here[name] : undefined
    if (!isObject(next)) return undefined
    here = next as ObjectDraft
  }
  return here
}

/** The object member `name`, made when absent. */
export function ensure(draft: ObjectDraft, name: string): ObjectDraft {
  const known = within(draft, name)
  if (known) return known
  const made: ObjectDraft = {}
  draft[name] = made
  return made
}

/** The objects in the list member `name`. */
export function items(draft: ObjectDraft | undefined, name: string): ObjectDraft[] {
  const list = draft?.[name]
  return isArray(list) ? (list.filter(isObject) as ObjectDraft[]) : []
}

/** Sets what is absent. */
export function fill(draft: ObjectDraft | undefined, values: Readonly<Record<string, JsonValue>>): void {
  if (!draft) return
  for (const [name, value] of Object.entries(values))
    if (draft[name] === undefined || draft[name] === null) draft[name] = value
}

import type { JsonValue, KubeObject } from '../../../kube/src/object/index.ts'
import { isArray, isObject } from '../../../kube/src/object/index.ts'

/** An object under construction: nobody else has it, so its members may be set. */
export type Draft = { [member: string]: JsonValue | undefined }

/** A draft is complete when its pipeline ends; its shape was checked when it was decoded. */
export const asObject = (draft: Draft): KubeObject => draft as unknown as KubeObject
export const asDraft = (o: KubeObject): Draft => o as unknown as Draft

/** The object member `name`, or undefined. Only drafts that were copied in depth may be changed through it. */
export function within(draft: Draft | undefined, ...path: readonly string[]): Draft | undefined {
  let here = draft
  for (const name of path) {
    const next = here !== undefined && Object.hasOwn(here, name) ? here[name] : undefined
    if (!isObject(next)) return undefined
    here = next as Draft
  }
  return here
}

/** The object member `name`, made when absent. */
export function ensure(draft: Draft, name: string): Draft {
  const known = within(draft, name)
  if (known) return known
  const made: Draft = {}
  draft[name] = made
  return made
}

/** The objects in the list member `name`. */
export function items(draft: Draft | undefined, name: string): Draft[] {
  const list = draft?.[name]
  return isArray(list) ? (list.filter(isObject) as Draft[]) : []
}

/** Sets what is absent. */
export function fill(draft: Draft | undefined, values: Readonly<Record<string, JsonValue>>): void {
  if (!draft) return
  for (const [name, value] of Object.entries(values))
    if (draft[name] === undefined || draft[name] === null) draft[name] = value
}

import type { WaitRefOf } from '../../api/reasons/index.ts'
import type { NamedInput } from './resolvedsource.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'

type HubInput = NamedInput & { readonly namespace: string }

/** A ConfigMap or Secret of the hub, as facts refer to it. */
export const inputRef = ({ kind, namespace, name }: HubInput): WaitRefOf<'Object'> => ({
  kind: 'Object',
  name,
  namespace,
  object: { apiVersion: 'v1', kind },
})

/** An object that a field of the spec names, or a key of it, does not exist. */
export function missingResource(
  field: string,
  input: HubInput,
  lacks: { readonly key?: string; readonly known?: readonly string[] } = {},
): SourceFailure {
  const object = `${input.kind} ${input.namespace}/${input.name}`
  return fault('ResourceNotFound', { field, object, ...lacks }, true, [inputRef(input)])
}

import { type JsonObject, member } from '../../../packages/kube/src/object/index.ts'

/** `Subscription storage/odf` */
export const titleOf = (o: JsonObject): string =>
  `${o.kind} ${[member(o.metadata, 'namespace'), member(o.metadata, 'name')].filter((v) => v !== undefined).join('/')}`

/** Those of `all` that `taken` has not as often. */
export function without<T>(all: readonly T[], taken: readonly T[], keyOf: (item: T) => string): T[] {
  const left = taken.map(keyOf)
  return all.filter((item) => {
    const i = left.indexOf(keyOf(item))
    if (i >= 0) left.splice(i, 1)
    return i < 0
  })
}

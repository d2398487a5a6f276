/** Members of a schema that say something about values. */
const KEPT = [
  'type',
  'format',
  'enum',
  'required',
  'default',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
]

/** Definitions whose form in JSON is none that a schema of Kubernetes describes. */
const SPECIAL = {
  'api.resource.Quantity': { format: 'quantity', anyOf: [{ type: 'string' }, { type: 'number' }] },
  'util.intstr.IntOrString': { 'x-kubernetes-int-or-string': true },
  'pkg.runtime.RawExtension': {
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-map-type': 'atomic',
  },
  // A struct without fields, not a free one.
  'apiextensions.v1.CustomResourceSubresourceStatus': { type: 'object' },
}

/** `io.k8s.api.core.v1.PodSpec` → `core.v1.PodSpec` */
export const shortName = (name) => name.split('.').slice(-3).join('.')

const refName = (ref) => shortName(ref.slice(ref.lastIndexOf('/') + 1))

/** Everything that the roots reach, by short name, sorted. */
export function definitionsFrom(documents, roots, nulls) {
  const all = new Map()
  for (const d of documents)
    for (const [name, schema] of Object.entries(d.components.schemas)) all.set(shortName(name), schema)
  const out = {}
  const queue = [...roots]
  while (queue.length > 0) {
    const name = queue.pop()
    if (name in out) continue
    const schema = all.get(name)
    if (schema === undefined) throw new Error(`no definition ${name}`)
    out[name] = SPECIAL[name] ?? reduce(schema, queue, nulls.get(name) ?? new Set())
  }
  return Object.fromEntries(Object.entries(out).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function reduce(schema, queue, nullNames = new Set()) {
  const out = {}
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0].$ref : undefined)
  if (ref) {
    out.$ref = refName(ref)
    queue.push(out.$ref)
  }
  for (const key of KEPT) if (schema[key] !== undefined) out[key] = schema[key]
  if (schema.properties) {
    out.properties = {}
    for (const [name, p] of Object.entries(schema.properties)) {
      const property = reduce(p, queue)
      // Go writes an empty list or map of such a field as null, and reads it back so.
      if (nullNames.has(name)) Object.assign(property, { nullable: true, default: null })
      out.properties[name] = property
    }
  }
  if (schema.items) out.items = reduce(schema.items, queue)
  if (schema.additionalProperties !== undefined)
    out.additionalProperties =
      typeof schema.additionalProperties === 'object'
        ? reduce(schema.additionalProperties, queue)
        : schema.additionalProperties
  const isFree = !ref && !out.properties && out.additionalProperties === undefined
  if (isFree && (out.type === undefined || out.type === 'object'))
    out['x-kubernetes-preserve-unknown-fields'] = true
  return out
}

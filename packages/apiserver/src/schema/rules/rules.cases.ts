/** Rules of a definition and what they say of objects: the table, and the definition with all of it. */
import { isArray, isObject, type JsonObject, type JsonValue } from '../../../../kube/src/object/index.ts'
import { afterOthers, changes, ratcheting } from './changes.cases.ts'
import { messages, places } from './findings.cases.ts'
import { bad, int, list, object, type RuleCase, rules } from './kit.cases.ts'

const numbers = (n: number): JsonValue => Array.from({ length: n }, (_, i) => i)
const cubic = (limit: number): string => `self.l.all(a, self.l.all(b, self.l.all(c, a + b + c < ${limit})))`

const costs: readonly RuleCase[] = [
  {
    name: 'a rule that costs too much is stopped, and nothing is evaluated after it',
    schema: object(
      { l: { ...list(int()), maxItems: 64 }, a: int(rules('self > 1')) },
      { rule: cubic(1000), message: 'sums are small' },
    ),
    value: { l: numbers(64), a: 1 },
    causes: [
      bad(
        'spec.KEY',
        'Invalid value: "object": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: sums are small',
      ),
    ],
  },
  {
    name: 'many rules spend the budget of the object',
    schema: object(
      { l: { ...list(int()), maxItems: 40 } },
      ...Array.from({ length: 36 }, (_, i) => cubic(1000 + i)),
    ),
    value: { l: numbers(40) },
    causes: [
      bad(
        'spec.KEY',
        'Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
      ),
    ],
  },
]

export const cases: readonly RuleCase[] = [
  ...messages,
  ...places,
  ...afterOthers,
  ...changes,
  ...ratcheting,
  ...costs,
]

/** The key of a case in the spec. */
export const keyOf = (i: number): string => `k${i}`

const LIMITS: ReadonlySet<string> = new Set([
  'x-kubernetes-validations',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'maxLength',
  'minimum',
  'pattern',
  'enum',
  'required',
])

/** The definition with all cases, as it is, or without limits: for what was stored before. */
export function ruledDefinition(isRelaxed: boolean): JsonObject {
  const properties = Object.fromEntries(cases.map((c, i) => [keyOf(i), c.schema as JsonValue]))
  const spec: JsonValue = { type: 'object', properties }
  const schema = { type: 'object', properties: { spec: isRelaxed ? relaxed(spec) : spec } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `ruled.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: { plural: 'ruled', singular: 'ruled', kind: 'Ruled', listKind: 'RuledList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  }
}

const GROUP = 'rules.example.com'
export const RULED = `/apis/${GROUP}/v1/ruled`

export const ruledObject = (i: number, value: JsonValue): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Ruled',
  metadata: { name: keyOf(i) },
  spec: { [keyOf(i)]: value },
})

function relaxed(schema: JsonValue): JsonValue {
  if (isArray(schema)) return schema.map(relaxed)
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(([name]) => !LIMITS.has(name))
  return Object.fromEntries(kept.map(([name, v]) => [name, relaxed(v as JsonValue)]))
}

/** Rules that are no good are refused with their definition; a real API server says the same. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../kube/src/object/index.ts'
import { testCluster } from '../../server/testcluster.cases.ts'
import { checkCrdSchema } from '../crdschema.ts'
import { badDefinitions, definitionWith } from './definitions.cases.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const { call } = testCluster()

interface Cause {
  readonly field: string
  readonly message: string
}

async function refusal(schema: object): Promise<string[]> {
  const answer = await call('POST', DEFINITIONS, definitionWith(schema))
  const causes = (answer.body.details?.causes ?? []) as Cause[]
  return causes.map((c) =>
    `${c.field}: ${c.message}`.replace('spec.validation.openAPIV3Schema.properties[spec].', ''),
  )
}

describe('a definition', () => {
  for (const [name, schema] of Object.entries(badDefinitions))
    it(`is refused for ${name}`, async () => {
      expect(await refusal(schema)).not.toEqual([])
    })

  it('is told with the rule, its place and what is wrong', async () => {
    expect(await refusal(badDefinitions['an unknown field']!)).toEqual([
      'x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.b \\u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field \'b\'\n | self.b > 1\n | ....^',
    ])
    expect(await refusal(badDefinitions['oldSelf in a list without keys']!)).toEqual([
      'properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self.k == oldSelf.k": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[l]',
    ])
  })

  it('that is stored may keep rules that cost too much, but no others', () => {
    const path = 'spec.validation.openAPIV3Schema'
    const found = (name: string): number => {
      const schema = { type: 'object', properties: { spec: badDefinitions[name] } } as JsonObject
      return checkCrdSchema(schema, path, { hasStatus: false, isStored: true }).length
    }
    expect(found('a rule that costs a little too much')).toBe(0)
    expect(found('an unknown field')).toBe(1)
  })
})

import type { JsonObject } from '../../../../kube/src/object/index.ts'

/** Requests to one object of a definition with a status and rules at its root, in this order. */
interface Step {
  readonly name: string
  readonly method: 'POST' | 'PATCH'
  readonly path: string
  readonly body: JsonObject
  /** `reason field: message`; none: accepted. */
  readonly causes?: readonly string[]
}

const GROUP = 'rules.example.com'
const WHOLE = `/apis/${GROUP}/v1/wholes`
export const wholeList = WHOLE

const schema: JsonObject = {
  type: 'object',
  'x-kubernetes-validations': [
    { rule: 'self.metadata.name.startsWith("w")', message: 'name begins with w' },
    {
      rule: '!has(self.status) || !has(self.status.n) || self.status.n <= self.spec.n',
      message: 'n is most',
    },
    { rule: 'self.kind == "Whole" && self.apiVersion == "rules.example.com/v1"' },
    { rule: 'self.spec.n >= oldSelf.spec.n', message: 'n does not shrink', fieldPath: '.spec.n' },
  ],
  properties: {
    spec: {
      type: 'object',
      required: ['n'],
      properties: { n: { type: 'integer' }, l: { type: 'string', maxLength: 3 } },
    },
    status: {
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: 0, 'x-kubernetes-validations': [{ rule: 'self != 13' }] },
        t: { type: 'string', maxLength: 3 },
      },
      anyOf: [{ required: ['n'] }, { required: ['t'] }],
    },
  },
}

export const wholeDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `wholes.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Cluster',
    names: { plural: 'wholes', singular: 'whole', kind: 'Whole', listKind: 'WholeList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: schema },
      },
    ],
  },
}

const whole = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Whole',
  metadata: { name },
  spec,
})
const spec = (name: string, body: JsonObject, causes?: readonly string[]): Step => ({
  name,
  method: 'PATCH',
  path: `${WHOLE}/w`,
  body: { spec: body },
  causes,
})
const status = (name: string, body: JsonObject, causes?: readonly string[]): Step => ({
  name,
  method: 'PATCH',
  path: `${WHOLE}/w/status`,
  body: { status: body },
  causes,
})
const NOT_CHECKED =
  'FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

export const wholeSteps: readonly Step[] = [
  {
    name: 'a rule about the name',
    method: 'POST',
    path: WHOLE,
    body: whole('x', { n: 1 }),
    causes: ['FieldValueInvalid <nil>: Invalid value: name begins with w'],
  },
  {
    name: 'a name that is none, too: rules run',
    method: 'POST',
    path: WHOLE,
    body: whole('X', { n: 1 }),
    causes: [
      "FieldValueInvalid metadata.name: Invalid value: \"X\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'FieldValueInvalid <nil>: Invalid value: name begins with w',
    ],
  },
  { name: 'a good one', method: 'POST', path: WHOLE, body: whole('w', { n: 5 }) },
  spec('a field of the spec, named by the root', { n: 4 }, [
    'FieldValueInvalid spec.n: Invalid value: n does not shrink',
  ]),
  status('a rule around the status', { n: 6 }, ['FieldValueInvalid <nil>: Invalid value: n is most']),
  status('a rule in the status', { n: 13 }, [
    'FieldValueInvalid <nil>: Invalid value: n is most',
    'FieldValueInvalid status.n: Invalid value: 13: failed rule: self != 13',
  ]),
  status('a limit of the status, in its own words', { n: -1 }, [
    'FieldValueInvalid status.n: Invalid value: -1: n in body should be greater than or equal to 0',
  ]),
  status('a type in the status', { n: 'x' }, [
    'FieldValueTypeInvalid status.n: Invalid value: "string": n in body must be of type integer: "string"',
    NOT_CHECKED,
  ]),
  status('too long a text in the status', { t: 'long' }, [
    'FieldValueTooLong status.t: Too long: may not be more than 3 bytes',
    NOT_CHECKED,
  ]),
  status('none of several schemas of the status', {}, [
    'FieldValueInvalid status: Invalid value: "": "" must validate at least one schema (anyOf)',
    'FieldValueRequired status.n: Required value',
    NOT_CHECKED,
  ]),
  status('a good status', { n: 5 }),
  spec('a change of the spec that the status allows', { n: 7 }),
  status('a change of the status that the spec forbids', { n: 8 }, [
    'FieldValueInvalid <nil>: Invalid value: n is most',
  ]),
]

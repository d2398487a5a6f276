/** Schemas of `spec` whose rules are no good, for one reason each. */
const spec = (rules: readonly (string | object)[], more: object = {}): object => ({
  type: 'object',
  properties: { a: { type: 'integer' }, s: { type: 'string', maxLength: 10 } },
  ...more,
  'x-kubernetes-validations': rules.map((r) => (typeof r === 'string' ? { rule: r } : r)),
})
const within = (rule: object, more: object = {}): object => ({
  type: 'object',
  properties: {
    l: {
      type: 'array',
      maxItems: 5,
      ...more,
      items: {
        type: 'object',
        required: ['k'],
        properties: { k: { type: 'string', maxLength: 5 } },
        'x-kubernetes-validations': [rule],
      },
    },
  },
})
const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
const path = (fieldPath: string): object => ({ rule: 'self.a > 1', fieldPath })
const list = { type: 'array', items: { type: 'string' } }

export const badDefinitions: Readonly<Record<string, object>> = {
  'an unknown field': spec(['self.b > 1']),
  'two rules that do not compile': spec(['self.b > 1', 'self.a >']),
  'no truth': spec(['self.a + 1']),
  'wrong types': spec(['self.a == "x"']),
  'an unknown function': spec(['self.a.foo()']),
  'an unknown name': spec(['oldself.a == self.a']),
  'a constant that is no number': spec(['double("x") > 1.0']),
  'a pattern that is none': spec(['self.s.matches("(")']),
  'a message expression that is no text': spec([{ rule: 'true', messageExpression: 'self.a' }]),
  'a message expression that does not compile': spec([{ rule: 'true', messageExpression: 'self.b' }]),
  'a message expression that is empty': spec([{ rule: 'true', messageExpression: ' ' }]),
  'no rule': spec([' ']),
  'a rule in lines without a message': spec(['self.a > 1 &&\nself.a < 3']),
  'a message in lines': spec([{ rule: 'true', message: 'a\nb' }]),
  'an unknown reason': spec([{ rule: 'true', reason: 'Bad' }]),
  'a field path without a point': spec([path('a')]),
  'a field path to no field': spec([path('.b')]),
  'a field path beyond a scalar': spec([path('.a.b')]),
  'a field path with an index': spec([path('.a[0]')]),
  'a field path with an escape that is none': spec([path("['\\q']")]),
  'a field path in lines': spec([path('.a\n')]),
  'an optionalOldSelf without oldSelf': spec([{ rule: 'self.a > 1', optionalOldSelf: true }]),
  'an optionalOldSelf of false without oldSelf': spec([{ rule: 'self.a > 1', optionalOldSelf: false }]),
  'an optional that is used as a value': spec([{ rule: 'self.a == oldSelf.a', optionalOldSelf: true }]),
  'oldSelf in a list without keys': within({ rule: 'self.k == oldSelf.k' }),
  'oldSelf in a set': within({ rule: 'self == oldSelf' }, { 'x-kubernetes-list-type': 'atomic' }),
  'optionalOldSelf in a list without keys': within({ rule: 'oldSelf.hasValue()', optionalOldSelf: true }),
  'a rule below other findings': within({ rule: 'self.b' }, { ...keyed, uniqueItems: true }),
  'a rule below a list whose keys are none': within(
    { rule: 'self.b' },
    { ...keyed, 'x-kubernetes-list-map-keys': ['z'] },
  ),
  'a rule beside other findings': {
    type: 'object',
    properties: {
      x: { type: 'object', uniqueItems: true },
      y: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.b > 1' }] },
    },
  },
  'a rule where there is no type': {
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-validations': [{ rule: 'true' }],
  },
  'a rule that looks into unknown fields': spec(['self.b > 1'], {
    'x-kubernetes-preserve-unknown-fields': true,
  }),
  'a rule on metadata.labels': {
    type: 'object',
    properties: {
      o: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        'x-kubernetes-validations': [{ rule: 'self.metadata.labels.size() > 0' }],
      },
    },
  },
  'a rule in allOf': { type: 'object', allOf: [{ 'x-kubernetes-validations': [{ rule: 'true' }] }] },
  'rules and no structure': {
    type: 'object',
    properties: { x: {} },
    'x-kubernetes-validations': [{ rule: 'self.b' }],
  },
  'a rule that costs too much': spec(['self.l.all(a, self.l.all(b, a == b))'], { properties: { l: list } }),
  'a rule that costs a little too much': spec(['self.l.all(a, self.l.all(b, a < b))'], {
    properties: { l: { type: 'array', maxItems: 2000, items: { type: 'string', maxLength: 20 } } },
  }),
  'a rule without limits above it': {
    type: 'object',
    additionalProperties: {
      type: 'array',
      items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.matches("a+")' }] },
    },
  },
  'a message expression that costs too much': spec(
    [
      {
        rule: 'self.l.size() > 1',
        messageExpression: 'self.l.filter(a, self.l.exists(b, a != b)).join(",")',
      },
    ],
    { properties: { l: list } },
  ),
  'many rules that cost too much together': spec(
    Array.from({ length: 20 }, (_, i) => `self.l.all(a, self.l.all(b, a + b > ${i}))`),
    { properties: { l: { type: 'array', maxItems: 1000, items: { type: 'integer' } } } },
  ),
  'a default that a rule refuses': {
    type: 'object',
    properties: {
      d: {
        type: 'object',
        default: { v: 1 },
        properties: {
          v: { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'self > 1' }] },
        },
        'x-kubernetes-validations': [{ rule: 'self.v == 2', message: 'v is 2' }],
      },
    },
  },
  'a default that is refused where nothing was before': {
    type: 'object',
    properties: {
      v: {
        type: 'integer',
        default: 1,
        'x-kubernetes-validations': [{ rule: 'oldSelf.hasValue()', optionalOldSelf: true }],
      },
    },
  },
}

/** A definition with this schema of its spec. */
export const definitionWith = (schema: object): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tried.rules.example.com' },
  spec: {
    group: 'rules.example.com',
    scope: 'Cluster',
    names: { plural: 'tried', singular: 'tried', kind: 'Tried', listKind: 'TriedList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
      },
    ],
  },
})

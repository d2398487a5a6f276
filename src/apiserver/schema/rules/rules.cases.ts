import { isArray, isObject, type JsonObject, type JsonValue } from '../../../object/object.ts'

/** An object of one definition whose `spec.KEY` has this schema; what a write of it is answered. */
export interface RuleCase {
  readonly name: string
  readonly schema: object
  readonly value: JsonValue
  /** Stored before the schema had any limits. */
  readonly old?: JsonValue
  /** `reason field: message` of each cause, with KEY for the case's own; none: accepted. */
  readonly causes?: readonly string[]
  readonly warning?: string
}

const text = (more: object = {}): object => ({ type: 'string', maxLength: 64, ...more })
const int = (more: object = {}): object => ({ type: 'integer', ...more })
const rules = (...all: (string | object)[]): object => ({
  'x-kubernetes-validations': all.map((r) => (typeof r === 'string' ? { rule: r } : r)),
})
const object = (properties: object, ...all: (string | object)[]): object => ({
  type: 'object',
  properties,
  ...(all.length > 0 ? rules(...all) : {}),
})
const list = (items: object, ...all: (string | object)[]): object => ({
  type: 'array',
  maxItems: 16,
  items,
  ...(all.length > 0 ? rules(...all) : {}),
})
const keyed = (items: object, ...all: (string | object)[]): object => ({
  ...list({ ...items, required: ['k'] }, ...all),
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
})
const map = (values: object, ...all: (string | object)[]): object => ({
  type: 'object',
  maxProperties: 16,
  additionalProperties: values,
  ...(all.length > 0 ? rules(...all) : {}),
})

const NOT_CHECKED =
  'FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
const bad = (field: string, rest: string, reason = 'FieldValueInvalid'): string =>
  `${reason} ${field}: ${rest}`

const REASON_TEXTS = {
  FieldValueForbidden: 'Forbidden: m',
  FieldValueRequired: 'Required value: m',
  FieldValueInvalid: 'Invalid value: m',
  FieldValueDuplicate: 'Duplicate value',
}

const messages: readonly RuleCase[] = [
  {
    name: 'a rule without a message',
    schema: object({ a: int() }, 'self.a > 1'),
    value: { a: 1 },
    causes: [bad('spec.KEY', 'Invalid value: failed rule: self.a > 1')],
  },
  {
    name: 'a rule that holds',
    schema: object({ a: int() }, 'self.a > 1'),
    value: { a: 2 },
  },
  {
    name: 'a message',
    schema: object({ a: int() }, { rule: 'self.a > 1', message: ' a is too small ' }),
    value: { a: 1 },
    causes: [bad('spec.KEY', 'Invalid value: a is too small')],
  },
  {
    name: 'a message expression',
    schema: object(
      { a: text() },
      { rule: 'self.a != "x"', message: 'never', messageExpression: '"a is " + self.a' },
    ),
    value: { a: 'x' },
    causes: [bad('spec.KEY', 'Invalid value: a is x')],
  },
  {
    name: 'a message expression that fails: the message',
    schema: object(
      { a: int(), b: text() },
      { rule: 'self.a > 1', message: 'a is small', messageExpression: '"b is " + self.b' },
    ),
    value: { a: 1 },
    causes: [bad('spec.KEY', 'Invalid value: a is small')],
  },
  {
    name: 'a message expression with two lines: the message',
    schema: object({ a: int() }, { rule: 'self.a > 1', messageExpression: '"one\\ntwo"' }),
    value: { a: 1 },
    causes: [bad('spec.KEY', 'Invalid value: failed rule: self.a > 1')],
  },
  {
    name: 'a message expression that is empty: the message',
    schema: object({ a: int() }, { rule: 'self.a > 1', messageExpression: '"  "' }),
    value: { a: 1 },
    causes: [bad('spec.KEY', 'Invalid value: failed rule: self.a > 1')],
  },
  ...(['FieldValueForbidden', 'FieldValueRequired', 'FieldValueInvalid', 'FieldValueDuplicate'] as const).map(
    (reason): RuleCase => ({
      name: `reason ${reason}`,
      schema: object({ a: int() }, { rule: 'self.a > 1', message: 'm', reason }),
      value: { a: 1 },
      causes: [bad('spec.KEY', REASON_TEXTS[reason], reason)],
    }),
  ),
  {
    name: 'a reason for a scalar',
    schema: object({ a: text(rules({ rule: 'self != "x"', reason: 'FieldValueDuplicate' })) }),
    value: { a: 'x' },
    causes: [bad('spec.KEY.a', 'Duplicate value: "x"', 'FieldValueDuplicate')],
  },
  {
    name: 'a field path',
    schema: object({ a: object({ b: int() }) }, { rule: 'self.a.b > 1', message: 'm', fieldPath: '.a.b' }),
    value: { a: { b: 1 } },
    causes: [bad('spec.KEY.a.b', 'Invalid value: m')],
  },
  {
    name: 'a field path in brackets, to a key of a map',
    schema: object(
      { 'a.b': map(int()) },
      { rule: 'false', message: 'm', fieldPath: "['a.b']['c d']", reason: 'FieldValueForbidden' },
    ),
    value: { 'a.b': {} },
    causes: [bad('spec.KEY.a.b[c d]', 'Forbidden: m', 'FieldValueForbidden')],
  },
  {
    name: 'two rules that fail',
    schema: object({ a: int() }, 'self.a > 1', { rule: 'self.a > 2', message: 'at least 3' }),
    value: { a: 1 },
    causes: [
      bad('spec.KEY', 'Invalid value: failed rule: self.a > 1'),
      bad('spec.KEY', 'Invalid value: at least 3'),
    ],
  },
]

const places: readonly RuleCase[] = [
  {
    name: 'a text',
    schema: object({ a: text(rules('self.startsWith("x")')) }),
    value: { a: 'a"b' },
    causes: [bad('spec.KEY.a', 'Invalid value: "a\\"b": failed rule: self.startsWith("x")')],
  },
  {
    name: 'a number, a whole one, a truth',
    schema: object({
      n: { type: 'number', ...rules('self > 2.0') },
      i: int(rules('self > 2')),
      b: { type: 'boolean', ...rules('self') },
    }),
    value: { n: 1.5, i: 1, b: false },
    causes: [
      bad('spec.KEY.n', 'Invalid value: 1.5: failed rule: self > 2.0'),
      bad('spec.KEY.i', 'Invalid value: 1: failed rule: self > 2'),
      bad('spec.KEY.b', 'Invalid value: false: failed rule: self'),
    ],
  },
  {
    name: 'a list, and its items',
    schema: list(int(rules('self > 1')), 'self.size() < 3'),
    value: [1, 2, 0],
    causes: [
      bad('spec.KEY', 'Invalid value: failed rule: self.size() < 3'),
      bad('spec.KEY[0]', 'Invalid value: 1: failed rule: self > 1'),
      bad('spec.KEY[2]', 'Invalid value: 0: failed rule: self > 1'),
    ],
  },
  {
    name: 'a map, and its values',
    schema: map(text(rules('self != "x"')), 'self.all(k, k.startsWith("k"))'),
    value: { 'k.1': 'x', b: 'y' },
    causes: [
      bad('spec.KEY', 'Invalid value: failed rule: self.all(k, k.startsWith("k"))'),
      bad('spec.KEY[k.1]', 'Invalid value: "x": failed rule: self != "x"'),
    ],
  },
  {
    name: 'int or string',
    schema: object({
      p: { 'x-kubernetes-int-or-string': true, ...rules('type(self) == int ? self > 1 : self != "x"') },
    }),
    value: { p: 'x' },
    causes: [
      bad('spec.KEY.p', 'Invalid value: "x": failed rule: type(self) == int ? self > 1 : self != "x"'),
    ],
  },
  {
    name: 'int or string of the other type: no such overload',
    schema: object({ p: { 'x-kubernetes-int-or-string': true } }, 'self.p > 5'),
    value: { p: 'x' },
    causes: [
      bad(
        'spec.KEY',
        'Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.p > 5',
      ),
    ],
  },
  {
    name: 'an absent field: no such key',
    schema: object({ a: int() }, 'self.a > 1'),
    value: {},
    causes: [bad('spec.KEY', 'Invalid value: "object": no such key: a evaluating rule: self.a > 1')],
  },
  {
    name: 'an index out of bounds, a division by zero, an overflow',
    schema: object(
      { l: list(int()), z: int() },
      'self.l[3] > 1',
      '1 / self.z > 0',
      '9223372036854775807 + self.z + 1 > 0',
    ),
    value: { l: [1], z: 0 },
    causes: [
      bad('spec.KEY', 'Invalid value: "object": index out of bounds: 3 evaluating rule: self.l[3] > 1'),
      bad('spec.KEY', 'Invalid value: "object": division by zero evaluating rule: 1 / self.z > 0'),
      bad(
        'spec.KEY',
        'Invalid value: "object": integer overflow evaluating rule: 9223372036854775807 + self.z + 1 > 0',
      ),
    ],
  },
  {
    name: 'null where it may be is absent to rules around it; its own do not run',
    schema: object({ a: { ...text(rules('self == "x"')), nullable: true } }, 'has(self.a)'),
    value: { a: null },
    causes: [bad('spec.KEY', 'Invalid value: failed rule: has(self.a)')],
  },
  {
    name: 'an embedded object has kind and metadata.name',
    schema: object({
      o: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        ...rules('self.kind == "Pod"', 'self.metadata.name != "x"', 'self.apiVersion == "v1"'),
      },
    }),
    value: { o: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'x' }, spec: { free: 1 } } },
    causes: [
      bad('spec.KEY.o', 'Invalid value: failed rule: self.kind == "Pod"'),
      bad('spec.KEY.o', 'Invalid value: failed rule: self.metadata.name != "x"'),
    ],
  },
  {
    name: 'unknown fields that are kept cannot be seen',
    schema: {
      ...object({ a: int() }, 'self.a > 1', 'self == self'),
      'x-kubernetes-preserve-unknown-fields': true,
    },
    value: { a: 1, b: 2 },
    causes: [bad('spec.KEY', 'Invalid value: failed rule: self.a > 1')],
  },
  {
    name: 'names that have to be escaped',
    schema: object(
      { 'a-b': int(), namespace: text(), '1x': int() },
      'self.a__dash__b > 1 && self.__namespace__ != "x"',
    ),
    value: { 'a-b': 2, namespace: 'x', '1x': 1 },
    causes: [bad('spec.KEY', 'Invalid value: failed rule: self.a__dash__b > 1 && self.__namespace__ != "x"')],
  },
  {
    name: 'a rule sees defaults',
    schema: object({ a: int({ default: 5 }) }, 'self.a == 6'),
    value: {},
    causes: [bad('spec.KEY', 'Invalid value: failed rule: self.a == 6')],
  },
  {
    name: 'sets are equal in any order',
    schema: object(
      {
        a: { ...list(int()), 'x-kubernetes-list-type': 'set' },
        b: { ...list(int()), 'x-kubernetes-list-type': 'set' },
      },
      'self.a != self.b',
    ),
    value: { a: [1, 2], b: [2, 1] },
    causes: [bad('spec.KEY', 'Invalid value: failed rule: self.a != self.b')],
  },
  {
    name: 'times, durations, bytes, addresses, quantities',
    schema: object(
      {
        t: { type: 'string', format: 'date-time' },
        d: { type: 'string', format: 'duration' },
        y: { type: 'string', format: 'byte', maxLength: 20 },
        i: text(),
        q: text(),
      },
      'self.t.getFullYear() == 1999',
      'self.d < duration("1s")',
      'self.y == b"x"',
      'ip(self.i).family() == 6',
      'quantity(self.q).isLessThan(quantity("1"))',
    ),
    value: { t: '2020-01-01T00:00:00Z', d: '5s', y: 'YWI=', i: '10.0.0.1', q: '2Gi' },
    causes: [
      'self.t.getFullYear() == 1999',
      'self.d < duration("1s")',
      'self.y == b"x"',
      'ip(self.i).family() == 6',
      'quantity(self.q).isLessThan(quantity("1"))',
    ].map((r) => bad('spec.KEY', `Invalid value: failed rule: ${r}`)),
  },
]

const afterOthers: readonly RuleCase[] = [
  {
    name: 'not run after a wrong type',
    schema: object({ a: int() }, 'self.a > 1'),
    value: { a: 'x' },
    causes: [
      bad(
        'spec.KEY.a',
        'Invalid value: "string": spec.KEY.a in body must be of type integer: "string"',
        'FieldValueTypeInvalid',
      ),
      NOT_CHECKED,
    ],
  },
  {
    name: 'not run where something is missing',
    schema: { ...object({ a: int(), b: int() }, 'self.a > 1'), required: ['b'] },
    value: { a: 1 },
    causes: [bad('spec.KEY.b', 'Required value', 'FieldValueRequired'), NOT_CHECKED],
  },
  {
    name: 'not run where something is too long',
    schema: object({ a: text() }, 'self.a == "x"'),
    value: { a: 'y'.repeat(65) },
    causes: [bad('spec.KEY.a', 'Too long: may not be more than 64 bytes', 'FieldValueTooLong'), NOT_CHECKED],
  },
  {
    name: 'not run where there are too many items',
    schema: { ...list(int(), 'self.size() < 2'), maxItems: 2 },
    value: [1, 2, 3],
    causes: [bad('spec.KEY', 'Too many: 3: must have at most 2 items', 'FieldValueTooMany'), NOT_CHECKED],
  },
  {
    name: 'not run for a value that is none of a list',
    schema: object({ a: text({ enum: ['A', 'B'] }) }, 'self.a == "A"'),
    value: { a: 'C' },
    causes: [
      bad('spec.KEY.a', 'Unsupported value: "C": supported values: "A", "B"', 'FieldValueNotSupported'),
      NOT_CHECKED,
    ],
  },
  {
    name: 'run beside a number out of range and a pattern that does not match',
    schema: object({ a: int({ minimum: 3 }), b: text({ pattern: '^x$' }) }, 'self.a > 1'),
    value: { a: 1, b: 'y' },
    causes: [
      bad('spec.KEY.a', 'Invalid value: 1: spec.KEY.a in body should be greater than or equal to 3'),
      bad('spec.KEY.b', 'Invalid value: "y": spec.KEY.b in body should match \'^x$\''),
      bad('spec.KEY', 'Invalid value: failed rule: self.a > 1'),
    ],
  },
  {
    name: 'run beside duplicates in a set',
    schema: { ...list(int(), 'self.size() < 2'), 'x-kubernetes-list-type': 'set' },
    value: [1, 1],
    causes: [
      bad('spec.KEY[1]', 'Duplicate value: 1', 'FieldValueDuplicate'),
      bad('spec.KEY', 'Invalid value: failed rule: self.size() < 2'),
    ],
  },
]

const changes: readonly RuleCase[] = [
  {
    name: 'a rule on a change does not run on a new object',
    schema: object({ a: int() }, 'self.a == oldSelf.a'),
    value: { a: 1 },
  },
  {
    name: 'a rule on a change',
    schema: object({ a: int() }, { rule: 'self.a == oldSelf.a', message: 'a is immutable' }),
    old: { a: 1 },
    value: { a: 2 },
    causes: [bad('spec.KEY', 'Invalid value: a is immutable')],
  },
  {
    name: 'a rule on a change of something that is new does not run',
    schema: object({ a: int(rules('self == oldSelf')), b: int() }),
    old: { b: 1 },
    value: { a: 2, b: 1 },
  },
  {
    name: 'optionalOldSelf, nothing before',
    schema: object({ a: int(rules({ rule: 'oldSelf.hasValue()', optionalOldSelf: true })) }),
    value: { a: 1 },
    causes: [bad('spec.KEY.a', 'Invalid value: 1: failed rule: oldSelf.hasValue()')],
  },
  {
    name: 'optionalOldSelf, something before; to its message expression that is no optional',
    schema: object({
      a: text(
        rules({
          rule: 'oldSelf.value() == self',
          optionalOldSelf: true,
          messageExpression: 'oldSelf.value()',
        }),
      ),
    }),
    old: { a: 'x' },
    value: { a: 'y' },
    causes: [bad('spec.KEY.a', 'Invalid value: "y": failed rule: oldSelf.value() == self')],
  },
  {
    name: 'items of a list by their keys',
    schema: keyed(object({ k: text(), v: int() }, 'self.v >= oldSelf.v')),
    old: [
      { k: 'a', v: 5 },
      { k: 'b', v: 1 },
    ],
    value: [
      { k: 'c', v: 0 },
      { k: 'b', v: 2 },
      { k: 'a', v: 4 },
    ],
    causes: [bad('spec.KEY[2]', 'Invalid value: failed rule: self.v >= oldSelf.v')],
  },
  {
    name: 'values of a map by their keys',
    schema: map(int(rules('self >= oldSelf'))),
    old: { a: 5, b: 1 },
    value: { a: 4, b: 1, c: 0 },
    causes: [bad('spec.KEY[a]', 'Invalid value: 4: failed rule: self >= oldSelf')],
  },
  {
    name: 'what a message expression says of before and after',
    schema: object(
      { a: text() },
      {
        rule: 'self.a >= oldSelf.a',
        messageExpression: '"from " + oldSelf.a + " to " + self.a',
      },
    ),
    old: { a: 'y' },
    value: { a: 'x' },
    causes: [bad('spec.KEY', 'Invalid value: from y to x')],
  },
]

const ratcheting: readonly RuleCase[] = [
  {
    name: 'what was wrong and is as it was is only warned of',
    schema: object({ a: int(rules('self > 1')), b: int() }),
    old: { a: 1, b: 1 },
    value: { a: 1, b: 2 },
    warning: 'spec.KEY.a: Invalid value: 1: failed rule: self > 1',
  },
  {
    name: 'what was wrong and is wrong in another way',
    schema: object({ a: int(rules('self > 1')) }),
    old: { a: 1 },
    value: { a: 0 },
    causes: [bad('spec.KEY.a', 'Invalid value: 0: failed rule: self > 1')],
  },
  {
    name: 'a rule around what changed',
    schema: object({ a: int(), b: int() }, 'self.a > 1'),
    old: { a: 1, b: 1 },
    value: { a: 1, b: 2 },
    causes: [bad('spec.KEY', 'Invalid value: failed rule: self.a > 1')],
  },
  {
    name: 'an item of a list of type map',
    schema: keyed(object({ k: text(), v: int() }, 'self.v > 1')),
    old: [{ k: 'a', v: 1 }],
    value: [
      { k: 'b', v: 2 },
      { k: 'a', v: 1 },
    ],
    warning: 'spec.KEY[1]: Invalid value: failed rule: self.v > 1',
  },
  {
    name: 'an item of an atomic list in a list that changed',
    schema: list(object({ v: int() }, 'self.v > 1')),
    old: [{ v: 1 }],
    value: [{ v: 1 }, { v: 2 }],
    causes: [bad('spec.KEY[0]', 'Invalid value: failed rule: self.v > 1')],
  },
  {
    name: 'an item of an atomic list that is as it was, beside a change',
    schema: object({ l: list(object({ v: int() }, 'self.v > 1')), b: int() }),
    old: { l: [{ v: 1 }], b: 1 },
    value: { l: [{ v: 1 }], b: 2 },
    warning: 'spec.KEY.l[0]: Invalid value: failed rule: self.v > 1',
  },
  {
    name: 'limits of a schema as well, and rules then run',
    schema: object({ a: text({ maxLength: 3 }), b: int(rules('self > 1')) }),
    old: { a: 'too long', b: 2 },
    value: { a: 'too long', b: 1 },
    causes: [bad('spec.KEY.b', 'Invalid value: 1: failed rule: self > 1')],
  },
  {
    name: 'limits of what changed',
    schema: object({ a: text({ maxLength: 3 }) }),
    old: { a: 'too long' },
    value: { a: 'longer than that' },
    causes: [bad('spec.KEY.a', 'Too long: may not be more than 3 bytes', 'FieldValueTooLong'), NOT_CHECKED],
  },
  {
    name: 'something that is missing, as before',
    schema: { ...object({ a: int(), b: int() }), required: ['b'] },
    old: { a: 1 },
    value: { a: 2 },
    causes: [bad('spec.KEY.b', 'Required value', 'FieldValueRequired'), NOT_CHECKED],
  },
  {
    name: 'a keyed list in another order is the same',
    schema: object({
      l: { ...keyed(object({ k: text(), v: int() })), ...rules('self.size() > 2') },
      b: int(),
    }),
    old: {
      l: [
        { k: 'a', v: 1 },
        { k: 'b', v: 1 },
      ],
    },
    value: {
      l: [
        { k: 'b', v: 1 },
        { k: 'a', v: 1 },
      ],
      b: 1,
    },
    warning: 'spec.KEY.l: Invalid value: failed rule: self.size() > 2',
  },
  {
    name: 'fields that the schema does not describe count as changed',
    schema: object({
      o: { ...object({ a: int() }, 'self.a > 1'), 'x-kubernetes-preserve-unknown-fields': true },
      b: int(),
    }),
    old: { o: { a: 1, free: 1 }, b: 1 },
    value: { o: { a: 1, free: 1 }, b: 2 },
    causes: [bad('spec.KEY.o', 'Invalid value: failed rule: self.a > 1')],
  },
  {
    name: 'a duplicate that was there before',
    schema: object({ l: { ...list(int()), 'x-kubernetes-list-type': 'set' }, b: int() }),
    old: { l: [1, 1], b: 1 },
    value: { l: [1, 1, 2, 2], b: 2 },
  },
]

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

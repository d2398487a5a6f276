/** What a rule says, of what, and where. */
import { bad, int, list, map, object, type RuleCase, rules, text } from './kit.cases.ts'

const REASON_TEXTS = {
  FieldValueForbidden: 'Forbidden: m',
  FieldValueRequired: 'Required value: m',
  FieldValueInvalid: 'Invalid value: m',
  FieldValueDuplicate: 'Duplicate value',
}

export const messages: readonly RuleCase[] = [
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

export const places: readonly RuleCase[] = [
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

/** Rules beside other findings, on changes, and of what was wrong before. */
import { bad, int, keyed, list, map, NOT_CHECKED, object, type RuleCase, rules, text } from './kit.cases.ts'

export const afterOthers: readonly RuleCase[] = [
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

export const changes: readonly RuleCase[] = [
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

export const ratcheting: readonly RuleCase[] = [
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

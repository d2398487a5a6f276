import { describe, expect, it } from 'vitest'
import { decodeProtobuf } from './decodeprotobuf.ts'

const utf8 = (s: string): number[] => [...new TextEncoder().encode(s)]
const bytes = (number: number, value: number[]): number[] => [(number << 3) | 2, value.length, ...value]
const int = (number: number, value: number): number[] => [number << 3, value]

/** An object as a client writes it. */
const sent = (apiVersion: string, kind: string, raw: number[]): Uint8Array =>
  Uint8Array.from([
    ...utf8('k8s\0'),
    ...bytes(1, [...bytes(1, utf8(apiVersion)), ...bytes(2, utf8(kind))]),
    ...bytes(2, raw),
    ...bytes(3, []),
    ...bytes(4, []),
  ])

const RBAC = 'rbac.authorization.k8s.io/v1'

describe('an object in protobuf', () => {
  it('has lists, maps and times as in JSON, and nothing that is empty', () => {
    const meta = [
      ...bytes(1, utf8('r')),
      ...bytes(3, []),
      ...int(7, 3),
      ...bytes(8, []),
      ...bytes(9, int(1, 60)),
      ...bytes(11, [...bytes(1, utf8('a')), ...bytes(2, utf8('b'))]),
      ...bytes(11, [...bytes(1, utf8('__proto__')), ...bytes(2, utf8('c'))]),
      ...bytes(13, [...bytes(1, utf8('Pod')), ...int(6, 1)]),
    ]
    const rule = [...bytes(1, utf8('get')), ...bytes(1, utf8('list')), ...bytes(2, [])]
    const read = decodeProtobuf(sent(RBAC, 'Role', [...bytes(1, meta), ...bytes(2, rule)]))
    expect(read.ok && JSON.parse(JSON.stringify(read.value))).toEqual(
      JSON.parse(`{
        "apiVersion": "${RBAC}", "kind": "Role",
        "metadata": { "name": "r", "generation": 3, "deletionTimestamp": "1970-01-01T00:01:00Z",
          "labels": { "a": "b", "__proto__": "c" }, "ownerReferences": [{ "kind": "Pod", "controller": true }] },
        "rules": [{ "verbs": ["get", "list"], "apiGroups": [""] }] }`),
    )
  })

  it('reads lists that are messages, bytes, and what no field is for', () => {
    const spec = [
      ...bytes(5, [...bytes(1, utf8('k')), ...bytes(2, [...bytes(1, utf8('v')), ...bytes(1, utf8('w'))])]),
      ...int(9, 1),
    ]
    expect(
      decodeProtobuf(sent('authorization.k8s.io/v1', 'SubjectAccessReview', bytes(2, spec))),
    ).toMatchObject({
      value: { spec: { extra: { k: ['v', 'w'] } } },
    })
    const data = bytes(2, [...bytes(1, utf8('k')), ...bytes(2, [0, 255])])
    expect(decodeProtobuf(sent('v1', 'Secret', data))).toMatchObject({ value: { data: { k: 'AP8=' } } })
  })

  it.each([
    ['no magic', Uint8Array.from(utf8('{"kind":"Role"}')), 'malformed'],
    ['a piece of one', sent(RBAC, 'Role', bytes(1, utf8('x'))).subarray(0, 40), 'malformed'],
    ['a number that does not end', Uint8Array.from([...utf8('k8s\0'), ...Array(12).fill(0xff)]), 'malformed'],
    ['a group', Uint8Array.from([...utf8('k8s\0'), 0x0b]), 'malformed'],
    ['a kind without numbers', sent('apps/v1', 'Deployment', []), 'unknown'],
    ['the name of something inherited', sent('v1', 'constructor', []), 'unknown'],
  ] as const)('is refused: %s', (_, body, kind) => {
    expect(decodeProtobuf(body)).toMatchObject({ ok: false, error: { kind } })
  })
})

/** Data of ConfigMaps and Secrets: values that servers refuse, and values that they store. */

/** An object in YAML with these lines. */
export const dataManifest = (kind: string, fields: string): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: {name: login, namespace: sd}\n${fields}\n`

/** A key with its value in YAML, the key, and the end of the message. */
export const refusals: readonly [string, string, string][] = [
  ['port: 8080', '.port', 'is a number; put it into quotes'],
  ['since: 1.10', '.since', 'is a number; put it into quotes'],
  ['hex: 0x10', '.hex', 'is a number; put it into quotes'],
  ['big: 12345678901234567890', '.big', 'is a number; put it into quotes'],
  ['tls: true', '.tls', 'is a boolean; put it into quotes'],
  ['nested: {a: 1}', '.nested', 'is a map; write its text below "nested: |"'],
  ['empty: {}', '.empty', 'is a map; write its text below "empty: |"'],
  ['list: [1]', '.list', 'is a list; write its text below "list: |"'],
  ['__proto__: 8080', '.__proto__', 'is a number; put it into quotes'],
]

/** Fields whose values are texts. */
export const dataFields = [
  ['Secret', 'stringData'],
  ['Secret', 'data'],
  ['ConfigMap', 'data'],
  ['ConfigMap', 'binaryData'],
] as const

/** Lines of an object, and the fields that a server stores. */
export const accepted: readonly [string, string, string, object][] = [
  ['null is an empty text', 'Secret', 'stringData: {password: null}', { data: { password: '' } }],
  ['so is a key without value', 'Secret', 'stringData: {password: }', { data: { password: '' } }],
  ['an empty text', 'Secret', 'stringData: {password: ""}', { data: { password: '' } }],
  [
    'null replaces data',
    'Secret',
    'data: {a: eA==, b: eA==}\nstringData: {a: null}',
    { data: { a: '', b: 'eA==' } },
  ],
  ['null of data', 'Secret', 'data: {a: null}', { data: { a: '' } }],
  ['null of a ConfigMap', 'ConfigMap', 'data: {a: null}', { data: { a: '' } }],
  ['null of binary data', 'ConfigMap', 'binaryData: {a: ~}', { binaryData: { a: '' } }],
  ['no stringData', 'Secret', 'data: {a: eA==}\nstringData: null', { data: { a: 'eA==' } }],
  [
    'texts that look like others',
    'Secret',
    'stringData: {port: "8080", tls: "true", none: "null", since: "1.10"}',
    { data: { port: 'ODA4MA==', tls: 'dHJ1ZQ==', none: 'bnVsbA==', since: 'MS4xMA==' } },
  ],
]

/** Texts as manifests: `manifests.md` §3, the rows about documents and lists. */
import { expect, it } from 'vitest'
import { renderFiles } from './renderfiles.ts'
import { faultLines } from './sourcefailure.ts'

const namesIn = (text: string | Uint8Array): string[] | string => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const done = renderFiles({ files: [{ path: 'a.yaml', bytes, mode: 0o644 }] } as never)
  return done.ok
    ? done.value.map((m) => `${m.object.kind} ${m.object.metadata.name}`)
    : faultLines(done.error)
}
const A = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
const B = A.replace('name: a', 'name: b')
const MARK = '\uFEFF'

it.each([
  ['CRLF', A.replaceAll('\n', '\r\n'), ['ConfigMap a']],
  ['a directive', `%YAML 1.1\n---\n${A}`, ['ConfigMap a']],
  ['a byte order mark at any document', `${MARK}${A}---\n${MARK}${B}`, ['ConfigMap a', 'ConfigMap b']],
  ['a list whose items are null', 'apiVersion: v1\nkind: ConfigMapList\nitems:\n', []],
  ['a list of lists', 'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: List, items: []}\n', []],
  [
    'a typed list',
    'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleList\nitems: [{metadata: {name: r}}]\n',
    ['Role r'],
  ],
])('%s is read', (_, text, names) => {
  expect(namesIn(text)).toEqual(names)
})

it.each([
  [
    'a list without items',
    'apiVersion: v1\nkind: ConfigMapList\n',
    'a.yaml doc 1: ConfigMapList: has no items; write items: []; if the file is not a manifest, add it to spec.source.ignore',
  ],
  [
    'null in a list',
    `${A}---\napiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}, null]\n`,
    'a.yaml doc 2: List: items[1] is null; if the file is not a manifest, add it to spec.source.ignore',
  ],
  [
    'an item of a List without a kind',
    'apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, metadata: {name: b}}]\n',
    'a.yaml doc 1 item 0: kind is missing; if the file is not a manifest, add it to spec.source.ignore',
  ],
  ['UTF-16', Buffer.from(A, 'utf16le'), 'a.yaml: is UTF-16; save it as UTF-8'],
  ['Latin-1', Buffer.from(`${A}# é`, 'latin1'), 'a.yaml: is not UTF-8; save it as UTF-8'],
])('%s is refused with its place', (_, text, message) => {
  expect(namesIn(text)).toBe(message)
})

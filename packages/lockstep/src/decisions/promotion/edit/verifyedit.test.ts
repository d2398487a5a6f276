import { describe, expect, it } from 'vitest'
import type { EditTarget } from './edittarget.ts'
import { YamlSourceText } from './sourcetext.ts'
import { verifyEdit } from './verifyedit.ts'
import type { YamlDocument } from './yamldocument.ts'
import { YamlFile } from './yamlfile.ts'

function documentOf(text: string, offset = 0): YamlDocument {
  const read = new YamlFile(new YamlSourceText('a.yaml', text, 'o/r@main')).documentAt(offset)
  if (!read.ok) throw new Error(read.error.message)
  return read.value
}

/** The first place of `before` in a text, or behind `at`. */
function target(document: YamlDocument, before: string, after: string, value: string): EditTarget {
  const start = document.source.text.indexOf(before) + (after.startsWith(before) ? before.length : 0)
  const isAdded = after.startsWith(before)
  return isAdded
    ? { document, start, end: start, before: '', after: after.slice(before.length), value }
    : { document, start, end: start + before.length, before, after, value }
}

describe('differsOnlyIn', () => {
  it.each<[what: string, text: string, before: string, after: string, value: string]>([
    ['a value', 'a: 1 # x\nb: &v 1\nc: *v\n', '1', 'x', 'x'],
    ['an item of the second document', 'y: 1\n---\na: [1, z]\n', 'z', '"1"', '1'],
    ['one that has quotes', 'a: "1"\n', '"1"', '"on"', 'on'],
    ['one more member', 'a:\n- b: 1\n', 'b: 1', 'b: 1\n  c: x', 'x'],
    ['one more in brackets', 'a: {b: 1}\n', 'b: 1', 'b: 1, c: "x"', 'x'],
  ])('%s: yes', (_, text, before, after, value) => {
    const document = documentOf(text, text.indexOf(before))
    expect(verifyEdit(document, [target(document, before, after, value)])).toBe(true)
  })

  it.each<[what: string, text: string, before: string, after: string, value: string]>([
    ['another value is written than is meant', 'a: 1\n', '1', 'z', 'x'],
    ['it is not a text to kubectl', 'a: x\n', 'x', '1', '1'],
    ['it is not YAML any more', 'a: x\n', 'x', '"x', '"x'],
    ['what follows becomes part of it', 'a: x\nb: 1\n', 'x\n', 'x ', 'x'],
    ['it becomes two members', 'a: x\n', 'x', 'z\nb: 1', 'z'],
    ['it becomes a comment', 'a: x\n', 'x', '#z', '#z'],
    ['aliases change with it', 'a: &v x\nb: *v\n', 'x', 'z', 'z'],
    ['what is merged changes with it', 'a: &v {k: x}\nb:\n  <<: *v\n', 'x', 'z', 'z'],
    ['nothing changes', 'a: 1\nb: &v 1\n', '&v', '&w', ''],
    ['a key changes, too', 'x: x\n', 'x: x', 'z: z', 'z'],
    ['more than the value is written anew', 'a: x\n', 'a: x', 'a: z', 'z'],
    ['an anchor goes', 'a: &v x\n', '&v x', 'z', 'z'],
  ])('%s: no', (_, text, before, after, value) => {
    const document = documentOf(text)
    expect(verifyEdit(document, [target(document, before, after, value)])).toBe(false)
  })
})

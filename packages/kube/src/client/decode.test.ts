/** The decoder accepts objects and events of the requested kind, and refuses every other text. */
import { describe, expect, it } from 'vitest'
import { ASKED, CLUSTER_SCOPED, decodeMutations, LIST, META, OBJECT } from './decode.cases.ts'
import { decodeDeletion, decodeJson, decodeObject, decodeWatchLine } from './decode.ts'

const problem = (decoded: { ok: boolean; error?: { problem: string } }): string =>
  decoded.ok ? 'taken' : (decoded.error?.problem ?? '')
const text = JSON.stringify
const withMeta = (meta: object) => text({ ...OBJECT, metadata: { ...META, ...meta } })

describe('an object', () => {
  it('is taken as it is, also with members that were not requested', () =>
    expect(decodeObject(text({ ...OBJECT, more: 12345678901234567890n.toString() }), ASKED)).toMatchObject({
      ok: true,
      value: OBJECT,
    }))

  it.each<[what: string, answer: string, problem: string]>([
    ['nothing', '', 'broken JSON at offset 0 of 0'],
    ['an empty object', '{}', 'no kind where ConfigMap of v1 was expected'],
    ['a login page', '<html>', 'broken JSON at offset 0 of 6'],
    ['cut', text(OBJECT).slice(0, 40), 'broken JSON at offset 40 of 40'],
    ['a list', text(LIST), 'ConfigMapList where ConfigMap of v1 was expected'],
    ['of another kind', text({ ...OBJECT, kind: 'Secret' }), 'Secret where ConfigMap of v1 was expected'],
    [
      'of another version',
      text({ ...OBJECT, apiVersion: 'v2' }),
      'ConfigMap where ConfigMap of v1 was expected',
    ],
    [
      'of a kind in control characters',
      text({ ...OBJECT, kind: '\u001b[2J' }),
      'no kind where ConfigMap of v1 was expected',
    ],
    ['without metadata', text({ ...OBJECT, metadata: null }), 'metadata is missing'],
    ['of another name', withMeta({ name: 'b' }), 'another object, b'],
    [
      'of another namespace',
      withMeta({ namespace: 'kube-system' }),
      'an object of another namespace, kube-system',
    ],
    ['without a namespace', withMeta({ namespace: undefined }), 'metadata.namespace is missing'],
    ['without a uid', withMeta({ uid: '' }), 'metadata.uid is missing'],
    ['without a version', withMeta({ resourceVersion: 7 }), 'metadata.resourceVersion is missing'],
    ['labels that are a list', withMeta({ labels: ['a'] }), 'metadata.labels is not a map of texts'],
    [
      'annotations that are numbers',
      withMeta({ annotations: { a: 1 } }),
      'metadata.annotations is not a map of texts',
    ],
    [
      'a finalizer that is a text',
      withMeta({ finalizers: 'a' }),
      'metadata.finalizers is not a list of texts',
    ],
    [
      'an owner without a uid',
      withMeta({ ownerReferences: [{}] }),
      'metadata.ownerReferences is not a list of owners',
    ],
    [
      'managers that are not a list',
      withMeta({ managedFields: {} }),
      'metadata.managedFields is not a list of managers',
    ],
    ['deep', `{"a":${'['.repeat(600)}`, 'deeper than 512 levels'],
  ])('%s is refused', (_, answer, expected) => expect(problem(decodeObject(answer, ASKED))).toBe(expected))

  it('without a namespace has none', () => {
    const namespace = (metadata: object) => text({ apiVersion: 'v1', kind: 'Namespace', metadata })
    const meta = { name: 'kube-system', uid: 'u', resourceVersion: '1' }
    expect(problem(decodeObject(namespace(meta), CLUSTER_SCOPED))).toBe('taken')
    expect(problem(decodeObject(namespace({ ...meta, namespace: 'a' }), CLUSTER_SCOPED))).toBe(
      'metadata.namespace, and Namespace has none',
    )
  })

  it('that was not stored has neither uid nor version', () => {
    const dry = withMeta({ uid: undefined, resourceVersion: undefined })
    expect(problem(decodeObject(dry, { ...ASKED, isDryRun: true }))).toBe('taken')
    expect(problem(decodeObject(dry, ASKED))).toBe('metadata.uid is missing')
  })

  it('keeps a member that is called like a prototype, and long integers exactly', () => {
    const found = decodeJson(`{"__proto__": {"a": 1}, "n": 12345678901234567, "m": ${'9'.repeat(22)}}`)
    expect(found.ok && Object.keys(found.value as object)).toEqual(['__proto__', 'n', 'm'])
    expect(found.ok && (found.value as { m: unknown }).m).toBe(1e22)
    expect(found.ok && (found.value as { n: bigint }).n).toBe(12345678901234567n)
  })
})

describe('a line of a watch', () => {
  it.each<[what: string, line: object, problem: string]>([
    ['an event', { type: 'ADDED', object: OBJECT }, 'taken'],
    [
      'the end, with its reason',
      { type: 'ERROR', object: { apiVersion: 'v1', kind: 'Status', code: 410 } },
      'taken',
    ],
    ['of an unknown type', { type: 'CHANGED', object: OBJECT }, 'an event of an unknown type'],
    ['without an object', { type: 'ADDED' }, 'an event: no kind where ConfigMap of v1 was expected'],
    [
      'without metadata',
      { type: 'ADDED', object: { ...OBJECT, metadata: undefined } },
      'an event: metadata is missing',
    ],
    [
      'of another name',
      { type: 'DELETED', object: { ...OBJECT, metadata: { ...META, name: 'b' } } },
      'an event: another object, b',
    ],
    [
      'a bookmark without a version',
      { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} } },
      'a bookmark without metadata.resourceVersion',
    ],
    [
      'an end without a reason',
      { type: 'ERROR', object: {} },
      'an event: no kind where Status of v1 was expected',
    ],
  ])('%s', (_, line, expected) => expect(problem(decodeWatchLine(text(line), ASKED))).toBe(expected))
})

it('a deletion is answered with the object or a Status, and with nothing else', () => {
  expect(problem(decodeDeletion(text({ apiVersion: 'v1', kind: 'Status' }), ASKED))).toBe('taken')
  expect(problem(decodeDeletion(text(OBJECT), ASKED))).toBe('taken')
  expect(problem(decodeDeletion('{}', ASKED))).toBe('no kind where ConfigMap of v1 was expected')
})

it('texts that are changed at random are taken or refused, and nothing is thrown', () => {
  const { accepted, refused } = decodeMutations(3000, 'mutations')
  expect(accepted).toBeGreaterThan(30)
  expect(refused).toBeGreaterThan(2000)
})

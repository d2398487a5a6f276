import { describe, expect, it } from 'vitest'
import type { PromotionEdit } from '../../../api/kinds/promotion/edits.ts'
import type { RepoFile } from '../repofile.ts'
import { editCases } from './edit.cases.ts'
import { edit } from './edit.ts'
import type { EditInput } from './editresult.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const file = (path: string, content: string | Uint8Array): RepoFile => {
  const raw = typeof content === 'string' ? bytes(content) : content
  return { path, kind: 'file', size: raw.length, bytes: raw }
}

function edited(
  files: readonly RepoFile[],
  edits: readonly PromotionEdit[] = [{ marker: true }],
  more: Partial<EditInput> = {},
) {
  const facts = { identity: 'podinfo', environment: 'prod', epoch: 7 }
  return edit({ edits, files, marker: 'a:b:prod', revision: '6.0.1', facts, where: 'o/r@main', ...more })
}

describe('edit', () => {
  it.each(editCases)('$what', ({ text, path = 'a.yaml', edits, revision = '6.0.1', becomes, places }) => {
    const made = edited([file(path, text)], edits, { revision })
    if (!made.ok) expect(made.error).toEqual([])
    if (!made.ok) return
    const after = made.value.changed.get(path)
    expect(after ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(after) : text).toBe(becomes)
    expect(after !== undefined).toBe(becomes !== text)
    expect(made.value.places.map((p) => `${p.line}:${p.column} ${p.before} → ${p.after}`)).toEqual(places)
    // Its own output it leaves as it is.
    const again = edited([file(path, becomes)], edits, { revision })
    expect(
      again.ok && again.value.changed.size === 0 && again.value.places.every((p) => p.before === p.after),
    ).toBe(true)
    expect(again.ok && again.value.places).toHaveLength(places.length)
  })
})

const M = '# {"$promotion": "a:b:prod"}'
const LFS = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'

/** Each as `reason: message`. */
function refusals(
  files: readonly RepoFile[],
  edits?: readonly PromotionEdit[],
  more?: Partial<EditInput>,
): readonly string[] {
  const made = edited(files, edits, more)
  return made.ok ? [] : made.error.map((r) => `${r.reason}: ${r.message}`)
}

describe('edits', () => {
  it('that are none find nothing: it would look as if all places had the value', () => {
    expect(refusals([file('a.yaml', 'a: 1\n')], [])).toEqual([
      'NothingToEdit: promotion.edits is empty; add an edit',
    ])
  })

  it('of a Secret do not repeat what it had', () => {
    const secret = (value: string) => file('a.yaml', `kind: Secret\nstringData:\n  a: ${value}\n`)
    const made = edited([secret(`hidden ${M}`)])
    expect(made.ok && made.value.places).toEqual([
      { file: 'a.yaml', line: 3, column: 6, before: '…', after: '6.0.1' },
    ])
    expect(refusals([secret(`"hid den" ${M.replace('prod', 'prod:tag')}`)])).toEqual([
      'EditRefused: a.yaml:3:6 in o/r@main: value is not an image, such as ghcr.io/org/app:1.0',
    ])
  })
})

describe('marked values that are not changed', () => {
  it.each([
    [
      `a: &x 1\nb: *x ${M}\n`,
      'EditRefused: a.yaml:2:4 in o/r@main: is an alias of &x at a.yaml:1:7; write the value out here',
    ],
    [`a: | ${M}\n  6.0.0\n`, 'EditRefused: a.yaml:1:4 in o/r@main: is a block text; write it on one line'],
    [`a: >- ${M}\n  6.0.0\n`, 'EditRefused: a.yaml:1:4 in o/r@main: is a block text; write it on one line'],
    [
      `a: 6.0.0\n   and more ${M}\n`,
      'EditRefused: a.yaml:1:4 in o/r@main: is a text over several lines; write it on one line',
    ],
    [
      `a: "6.0.0\n   and more" ${M}\n`,
      'EditRefused: a.yaml:1:4 in o/r@main: is a text over several lines; write it on one line',
    ],
    [`a: !!str 6.0.0 ${M}\n`, 'EditRefused: a.yaml:1:10 in o/r@main: has the tag !!str; remove the tag'],
    [
      `a: !!map {b: 6.0.0} ${M}\n`,
      'EditRefused: a.yaml:1:14 in o/r@main: has the tag !!map above it; remove the tag',
    ],
    [`x: 1\na: ${M}\nb: 1\n`, 'EditRefused: a.yaml:2:3 in o/r@main: has no value; write one here'],
    [
      `a: ${M}\n  b: 1\n`,
      `EditRefused: a.yaml:1:4 in o/r@main: marker follows no value; write it after a value on the same line`,
    ],
    [
      `${M}\na: 6.0.0\n`,
      `EditRefused: a.yaml:1:1 in o/r@main: marker follows no value; write it after a value on the same line`,
    ],
    [
      `a:\n  - ${M}\n    6.0.0\n`,
      'EditRefused: a.yaml:2:5 in o/r@main: marker follows no value; write it after a value on the same line',
    ],
    [
      `a: {b: 1, c: 6.0.0} ${M}\n`,
      'PromotionTargetAmbiguous: a.yaml:1:21 in o/r@main: marker follows 2 values; write its value on a separate line',
    ],
    [
      `a: [1,\n  6.0.0] ${M}\n`,
      'PromotionTargetAmbiguous: a.yaml:2:10 in o/r@main: marker follows 2 values; write its value on a separate line',
    ],
    [
      `a: 1 # {"$promotion": "a:b:prod"\n`,
      `EditRefused: a.yaml:1:6 in o/r@main: marker is not JSON; write ${M}`,
    ],
    [
      `a: 1 # {"$promotion": "a:b:prod:tags"}\n`,
      'EditRefused: a.yaml:1:6 in o/r@main: marker ends in :tags; it may end in :tag, :name, :digest, or in none',
    ],
    [
      `v: |\n  a: 1 ${M}\n`,
      'EditRefused: a.yaml:2:8 in o/r@main: marker is inside a block text; move the value to its own key',
    ],
    [`a: 1\na: 6.0.0 ${M}\n`, 'EditRefused: a.yaml:2:1 in o/r@main: duplicated mapping key; correct it'],
    [`---\nx: 1\n---\na: 6.0.0 ${M}\nb: { c\n`, /^EditRefused: a\.yaml:\d:\d in o\/r@main: .*; correct it$/],
    [`a: 6.0.0 ${M}\nb: !x 1\n`, /^EditRefused: a\.yaml:2:\d in o\/r@main: unknown tag !<!x>; correct it$/],
    [
      `a: &x 6.0.0 ${M}\nb: *x\nc: [*x]\n`,
      'PromotionTargetAmbiguous: a.yaml:1:7 in o/r@main: anchor &x is used at 2:4 and 3:5 too; write the value out there',
    ],
    [
      `a: &x\n  v: 6.0.0 ${M}\nb:\n  <<: *x\n`,
      'PromotionTargetAmbiguous: a.yaml:2:6 in o/r@main: anchor &x is used at 4:7 too; write the value out there',
    ],
    [
      `image: nginx # {"$promotion": "a:b:prod:tag"}\n`,
      'PromotionTargetAmbiguous: a.yaml:1:8 in o/r@main: nginx may be a name or a tag; write name:tag, or remove :tag from the marker',
    ],
    [
      `image: a/b # {"$promotion": "a:b:prod:digest"}\n`,
      'EditRefused: a.yaml:1:8 in o/r@main: 6.0.1 is not the digest of an image, such as sha256:… with its digits; set valueExpr',
    ],
  ])('%j', (text, message) => {
    expect(refusals([file('a.yaml', text)])).toEqual([
      typeof message === 'string' ? message : expect.stringMatching(message),
    ])
  })

  it('all are told, and the good ones are not changed either', () => {
    const files = [file('a.yaml', `a: 1 ${M}\n`), file('b.yaml', `a: | ${M}\n b\nb: !!str 1 ${M}\n`)]
    expect(refusals([...files, file('c.yaml', `c: ${M}\n`)])).toEqual([
      'EditRefused: b.yaml:1:4 in o/r@main: is a block text; write it on one line',
      'EditRefused: b.yaml:3:10 in o/r@main: has the tag !!str; remove the tag',
      'EditRefused: c.yaml:1:3 in o/r@main: has no value; write one here',
    ])
  })
})

describe('nothing to edit', () => {
  const others = [
    file('a.yaml', 'a: 1 # {"$promotion": "a:b:staging"}\n'),
    file('x/b.yml', ''),
    file('c.txt', `a: 1 ${M}`),
  ]

  it('no marker: how many files were read', () => {
    expect(refusals(others)).toEqual([
      'NothingToEdit: marker {"$promotion": "a:b:prod"} not found in o/r@main: 2 YAML files read; add the marker or set edits',
    ])
    expect(refusals(others, [{ marker: true, paths: ['x/*', 'y/**', '!z'] }])).toEqual([
      'NothingToEdit: marker {"$promotion": "a:b:prod"} not found in o/r@main: 1 file read, paths x/*, y/**, !z; add the marker or set edits',
    ])
  })

  it.each<[PromotionEdit, string]>([
    [
      { file: 'no.yaml', path: 'a' },
      'NothingToEdit: edits[0] in o/r@main: file no.yaml not found; correct its name, or add it',
    ],
    [
      { file: 'x.yaml', path: 'a.c' },
      'NothingToEdit: x.yaml:2:4 in o/r@main: c below a not found; correct the path, or add the value',
    ],
    [
      { file: 'x.yaml', path: 'a.b.c' },
      'NothingToEdit: x.yaml:2:8 in o/r@main: c below a.b not found; correct the path, or add the value',
    ],
    [
      { file: 'x.yaml', path: 'l[7]' },
      'NothingToEdit: x.yaml:3:4 in o/r@main: [7] below l not found; correct the path, or add the value',
    ],
    [
      { file: 'x.yaml', path: 'l[n=z].v' },
      'NothingToEdit: x.yaml:3:4 in o/r@main: [n=z] below l not found; correct the path, or add the value',
    ],
    [
      { file: 'x.yaml', path: 'l[n=q].v' },
      'PromotionTargetAmbiguous: x.yaml:3:4 in o/r@main: [n=q] below l matches 2 times on lines 3, 3; name one of them',
    ],
    [
      { file: 'x.yaml', path: 'm.k' },
      'EditRefused: x.yaml:6:3 in o/r@main: k below m may come from << here; write it out',
    ],
    [
      { file: 'x.yaml', path: 'p.k' },
      'EditRefused: x.yaml:7:4 in o/r@main: k below p is an alias of &a; write it out here',
    ],
    [{ file: 'x.yaml', path: 'a' }, 'EditRefused: x.yaml:2:4 in o/r@main: is a mapping; name a value in it'],
    [
      { helmValue: { file: 'x.yaml', key: 'l' } },
      'EditRefused: x.yaml:3:4 in o/r@main: is a list; name a value in it',
    ],
    [
      { file: 'x.yaml', path: 'a', where: { kind: 'A', name: 'b' } },
      'NothingToEdit: x.yaml:1:1 in o/r@main: A b not found; correct the edit, or add it',
    ],
    [
      { file: 'two.yaml', path: 'kind' },
      'PromotionTargetAmbiguous: two.yaml:3:1 in o/r@main: 2 documents match on lines 1, 3; set file, path and where',
    ],
    [
      { file: 'two.yaml', path: 'kind', where: { kind: 'A', name: 'b' } },
      'PromotionTargetAmbiguous: two.yaml:3:1 in o/r@main: 2 documents match on lines 1, 3; set file, path and where',
    ],
    [
      { file: 'empty.yaml', path: 'a' },
      'NothingToEdit: empty.yaml:1:1 in o/r@main: document not found; correct the edit, or add it',
    ],
    [
      { kustomizeImage: { file: 'x.yaml', name: 'q', set: 'newTag' } },
      'NothingToEdit: x.yaml:2:1 in o/r@main: images has no entry with name q; add one, or correct the edit',
    ],
    [
      { kustomizeImage: { file: 'k.yaml', name: 'q', set: 'newTag' } },
      'NothingToEdit: k.yaml:2:1 in o/r@main: images has no entry with name q; add one, or correct the edit',
    ],
    [
      {
        kustomizeImage: { file: 'k.yaml', name: 'a', set: 'digest' },
        valueExpr: "'sha256:' + '0'.replace('0', '00000000000000000000000000000000')",
      },
      'NothingToEdit: k.yaml:2:3 in o/r@main: a has no digest; add it',
    ],
    [
      { kustomizeImage: { file: 'k.yaml', name: 'a', set: 'newName' }, valueExpr: "'A B'" },
      'EditRefused: k.yaml:2:3 in o/r@main: A B is not the name of an image, such as ghcr.io/org/app; set valueExpr',
    ],
    [
      { kustomizeImage: { file: 'k.yaml', name: 'd', set: 'newTag' } },
      'EditRefused: k.yaml:3:21 in o/r@main: d has a digest, which wins over the tag; promote the digest, or remove it',
    ],
    [
      { kustomizeImage: { file: 'k.yaml', name: 't', set: 'newTag' } },
      'PromotionTargetAmbiguous: k.yaml:2:1 in o/r@main: [name=t] below images matches 2 times on lines 4, 5; name one of them',
    ],
    [
      { kustomizeImage: { file: 'k.yaml', name: 'g', set: 'newTag' } },
      'EditRefused: k.yaml:6:6 in o/r@main: entry has an anchor or a tag; write newTag once',
    ],
  ])('%j', (e, message) => {
    const files = [
      file('x.yaml', '# x\na: {b: 1}\nl: [{n: q}, {n: q}]\nx: &a {k: 1}\nm:\n  <<: *a\np: *a\n'),
      file(
        'two.yaml',
        'kind: A\n---\n{kind: A, metadata: {name: b}}\n'.replace(
          'kind: A\n',
          '{kind: A, metadata: {name: b}}\n',
        ),
      ),
      file('empty.yaml', '# nothing\n'),
      file('k.yaml', 'images:\n- name: a\n- {name: d, digest: x}\n- name: t\n- name: t\n- &x {name: g}\n'),
    ]
    expect(refusals(files, [e])).toEqual([message])
  })

  it('two edits that want different values of one place', () => {
    expect(
      refusals(
        [file('a.yaml', `a: 1 ${M}\n`)],
        [{ marker: true }, { file: 'a.yaml', path: 'a', valueExpr: "'x'" }],
      ),
    ).toEqual([
      'PromotionTargetAmbiguous: a.yaml:1:4 in o/r@main: two edits write different values: 6.0.1 and x; remove one of them',
    ])
  })

  it('more of a document that would change is proven, not guessed', () => {
    const text = 'images: &i\n- name: a\nmore: *i\n'
    const e: PromotionEdit = { kustomizeImage: { file: 'k.yaml', name: 'a', set: 'newTag' } }
    expect(refusals([file('k.yaml', text)], [e])).toEqual([
      'PromotionTargetAmbiguous: k.yaml:2:10 in o/r@main: the new value would change other values of the document; remove anchors and merges around it',
    ])
  })
})

describe('entries that are not read', () => {
  const good = file('a.yaml', `a: 1 ${M}\n`)
  const entry = (path: string, more: Partial<RepoFile>): RepoFile => ({
    path,
    kind: 'file',
    size: 1,
    bytes: undefined,
    ...more,
  })

  it.each<[string, RepoFile, string]>([
    [
      'a link',
      entry('l.yaml', { kind: 'link' }),
      'l.yaml:1:1 in o/r@main: is a symbolic link; name its file, or exclude it from paths with !',
    ],
    [
      'a submodule',
      entry('s.yaml', { kind: 'other' }),
      's.yaml:1:1 in o/r@main: is not a file, such as a submodule; exclude it from paths with !',
    ],
    [
      'what is too large',
      entry('b.yaml', { size: 5 * 1024 * 1024 + 1 }),
      'b.yaml:1:1 in o/r@main: has 5242881 bytes, the limit is 5 MiB; split it, or exclude it from paths with !',
    ],
    [
      'a pointer of LFS',
      file('p.yaml', LFS),
      'p.yaml:1:1 in o/r@main: is a pointer of Git LFS; keep the content in Git, or exclude it from paths with !',
    ],
    [
      'UTF-16',
      file('u.yaml', new Uint8Array([0xff, 0xfe, 0x61, 0])),
      'u.yaml:1:1 in o/r@main: is UTF-16; save it as UTF-8',
    ],
    [
      'no UTF-8',
      file('n.yaml', new Uint8Array([...bytes(`a: 1 ${M}\nb: \uFFFDä`), 0xc3, 0x28, 0x0a])),
      'n.yaml:2:6 in o/r@main: is not UTF-8 from here; save it as UTF-8',
    ],
  ])('%s among those of a pattern, and by its name', (_, f, message) => {
    expect(refusals([good, f])).toEqual([`EditRefused: ${message}`])
    expect(refusals([good, f], [{ file: f.path, path: 'a' }])).toEqual([`EditRefused: ${message}`])
    expect(refusals([good, f], [{ marker: true, paths: ['**', `!${f.path}`] }])).toEqual([])
  })

  it('what has no marker may be anything else', () => {
    expect(refusals([good, file('n.yaml', new Uint8Array([0xc3, 0x28])), file('o.yaml', '{ [')])).toEqual([])
  })

  it.each(['../x.yaml', '/etc/x.yaml', 'a/../../x.yaml'])('%s leads out of the repository', (path) => {
    expect(refusals([good], [{ file: path, path: 'a' }])).toEqual([
      `EditRefused: edits[0] in o/r@main: ${path} is outside the repository; name a file from its root`,
    ])
  })

  it('a file behind a link', () => {
    expect(
      refusals([good, entry('envs/prod', { kind: 'link' })], [{ file: 'envs/prod/x.yaml', path: 'a' }]),
    ).toEqual([
      'EditRefused: edits[0] in o/r@main: envs/prod in envs/prod/x.yaml is a symbolic link; name the file without the link',
    ])
  })

  it('more than 5,000 files', () => {
    const many = (n: number): RepoFile[] =>
      Array.from({ length: n }, (_, i) => entry(`x/${i}.yaml`, { bytes: new Uint8Array(1) }))
    expect(refusals([good, ...many(4999)])).toEqual([])
    expect(refusals([good, ...many(5000)])).toEqual([
      'EditRefused: edits in o/r@main: 5001 files match, the limit is 5000; narrow paths, for example ["apps/**/*.yaml"]',
    ])
  })
})

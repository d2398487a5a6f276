/** Files before and after, and edits between. */
import type { PromotionEdit } from '../../../api/kinds/promotion/edits.ts'

export interface EditCase {
  readonly what: string
  readonly edits?: readonly PromotionEdit[]
  readonly revision?: string
  readonly text: string
  /** `a.yaml` unless it is another file. */
  readonly path?: string
  readonly becomes: string
  /** As `line:column before → after`. */
  readonly places: readonly string[]
}

/** The marker of all cases, as it stands in a comment. */
const M = '# {"$promotion": "a:b:prod"}'
const D = `sha256:${'0'.repeat(64)}`
const E = `sha256:${'e'.repeat(64)}`

const markers: readonly EditCase[] = [
  {
    what: 'a marked value; what is marked for others stays',
    text: `a: "6.0.0" ${M}\nb: 6.0.0 # {"$promotion": "a:b:staging"}\nc: 6.0.0 # {"$promotion": "a:b:production"}\n`,
    becomes: `a: "6.0.1" ${M}\nb: 6.0.0 # {"$promotion": "a:b:staging"}\nc: 6.0.0 # {"$promotion": "a:b:production"}\n`,
    places: ['1:4 "6.0.0" → "6.0.1"'],
  },
  {
    what: 'several, in several documents, of which broken ones without a marker are nobody’s business',
    text: `a: 6.0.0 ${M}\n---\n{ broken: [\n---\nb: c: d\n---\nx:\n  - '5' ${M}\n  - n: 1 ${M}\n`,
    becomes: `a: 6.0.1 ${M}\n---\n{ broken: [\n---\nb: c: d\n---\nx:\n  - '6.0.1' ${M}\n  - n: 6.0.1 ${M}\n`,
    places: ['1:4 6.0.0 → 6.0.1', "8:5 '5' → '6.0.1'", '9:8 1 → 6.0.1'],
  },
  {
    what: 'a value that is there already is a place, and nothing is written',
    text: `a: "6.0.\\u0031" ${M}\nb: '6.0.1' ${M}\nc: 6.0.1 ${M}\n`,
    becomes: `a: "6.0.\\u0031" ${M}\nb: '6.0.1' ${M}\nc: 6.0.1 ${M}\n`,
    places: ['1:4 "6.0.\\u0031" → "6.0.\\u0031"', "2:4 '6.0.1' → '6.0.1'", '3:4 6.0.1 → 6.0.1'],
  },
  {
    what: 'what is a number to somebody gets quotes, also where it was written as one',
    revision: '1.10',
    text: `a: 1.9 ${M}\nb: 1.10 ${M}\nc: '1.9' ${M}\n`,
    becomes: `a: "1.10" ${M}\nb: "1.10" ${M}\nc: '1.10' ${M}\n`,
    places: ['1:4 1.9 → "1.10"', '2:4 1.10 → "1.10"', "3:4 '1.9' → '1.10'"],
  },
  {
    what: 'line ends of Windows, a byte order mark, odd blanks, no line break at the end',
    text: `\uFEFFa:   "6.0.0"\t ${M}\r\n\r\nb:\r\n    -   c: 6.0.0   ${M}  `,
    becomes: `\uFEFFa:   "6.0.1"\t ${M}\r\n\r\nb:\r\n    -   c: 6.0.1   ${M}  `,
    places: ['1:6 "6.0.0" → "6.0.1"', '4:12 6.0.0 → 6.0.1'],
  },
  {
    what: 'anchors and merges elsewhere, an anchor that nobody uses, keys of all sorts',
    text: `x: &x { k: 1 }\ny: *x\nz:\n  <<: *x\n  "q k": &v 6.0.0 ${M}\n? c\n: 010 ${M}\n`,
    becomes: `x: &x { k: 1 }\ny: *x\nz:\n  <<: *x\n  "q k": &v 6.0.1 ${M}\n? c\n: 6.0.1 ${M}\n`,
    places: ['5:13 6.0.0 → 6.0.1', '7:3 010 → 6.0.1'],
  },
  {
    what: 'brackets: the one value of the line',
    text: `a: { tag: 6.0.0 } ${M}\nb: {\n  r: x,\n  t: "6.0.0", ${M}\n  u: 6.0.0 ${M}\n}\nc: ['6.0.0'] ${M}\n`,
    becomes: `a: { tag: 6.0.1 } ${M}\nb: {\n  r: x,\n  t: "6.0.1", ${M}\n  u: 6.0.1 ${M}\n}\nc: ['6.0.1'] ${M}\n`,
    places: ['1:11 6.0.0 → 6.0.1', '4:6 "6.0.0" → "6.0.1"', '5:6 6.0.0 → 6.0.1', "7:5 '6.0.0' → '6.0.1'"],
  },
  {
    what: 'parts of an image',
    revision: 'v2',
    text: `image: ghcr.io:443/a/b:v1 # {"$promotion": "a:b:prod:tag"}\ntag: v1 # {"$promotion": "a:b:prod:tag"}\n`,
    becomes: `image: ghcr.io:443/a/b:v2 # {"$promotion": "a:b:prod:tag"}\ntag: v2 # {"$promotion": "a:b:prod:tag"}\n`,
    places: ['1:8 ghcr.io:443/a/b:v1 → ghcr.io:443/a/b:v2', '2:6 v1 → v2'],
  },
  {
    what: 'a digest',
    revision: E,
    text: `image: "a/b:v1@${D}" # {"$promotion": "a:b:prod:digest"}\n`,
    becomes: `image: "a/b:v1@${E}" # {"$promotion": "a:b:prod:digest"}\n`,
    places: [`1:8 "a/b:v1@${D}" → "a/b:v1@${E}"`],
  },
  {
    what: 'a marker beside those of others, and prose about markers',
    text: `# Put # ${M} behind a version. {"$promotion": "a:b:prod"}\na: 6.0.0 # {"$imagepolicy": "x:y", "$promotion": "a:b:prod"}\nb: 6.0.0 # was: ${M}\n`,
    becomes: `# Put # ${M} behind a version. {"$promotion": "a:b:prod"}\na: 6.0.1 # {"$imagepolicy": "x:y", "$promotion": "a:b:prod"}\nb: 6.0.0 # was: ${M}\n`,
    places: ['2:4 6.0.0 → 6.0.1'],
  },
  {
    what: 'signs that mean something elsewhere: # in texts, quotes in a value',
    edits: [{ marker: true, valueExpr: `revision + " '#\\"\\\\ ä"` }],
    text: `a: "x # y" ${M}\nb: 'x # y' ${M}\nc: x#y ${M}\n`,
    becomes: `a: "6.0.1 '#\\"\\\\ ä" ${M}\nb: '6.0.1 ''#"\\ ä' ${M}\nc: "6.0.1 '#\\"\\\\ ä" ${M}\n`,
    places: [
      `1:4 "x # y" → "6.0.1 '#\\"\\\\ ä"`,
      `2:4 'x # y' → '6.0.1 ''#"\\ ä'`,
      `3:4 x#y → "6.0.1 '#\\"\\\\ ä"`,
    ],
  },
]

const RELEASES = `# apps
kind: HelmRelease
metadata: { name: podinfo, namespace: x }
spec:
  chart:
    spec: { version: 6.0.0, chart: podinfo }   # pinned
---
kind: HelmRelease
metadata: { name: podinfo, namespace: y }
spec: { chart: { spec: { version: '5' } } }
`

const paths: readonly EditCase[] = [
  {
    what: 'a path of one document among several',
    edits: [
      {
        file: 'a.yaml',
        path: 'spec.chart.spec.version',
        where: { kind: 'HelmRelease', name: 'podinfo', namespace: 'x' },
      },
    ],
    text: RELEASES,
    becomes: RELEASES.replace('6.0.0', '6.0.1'),
    places: ['6:22 6.0.0 → 6.0.1'],
  },
  {
    what: 'items by number and by name, also one that is an alias, keys with dots',
    edits: ['c[1].v', 'd[name=app].image', 'd[name=other].image', 'e["a.b/c"]'].map((path) => ({
      file: 'a.yaml',
      path,
    })),
    text: 'o: &o other\nc: [{v: 1}, {v: 2}]\nd:\n- name: &n app\n  image: x\n- {name: *o, image: w}\ne: {a.b/c: 1, on: 2}\n',
    becomes:
      'o: &o other\nc: [{v: 1}, {v: 6.0.1}]\nd:\n- name: &n app\n  image: 6.0.1\n- {name: *o, image: 6.0.1}\ne: {a.b/c: 6.0.1, on: 2}\n',
    places: ['2:17 2 → 6.0.1', '5:10 x → 6.0.1', '6:21 w → 6.0.1', '7:12 1 → 6.0.1'],
  },
  {
    what: 'JSON stays JSON',
    path: 'values.json',
    edits: [{ helmValue: { file: 'values.json', key: 'image.tag' } }],
    text: '{"image": {"tag": 5, "x": [1.0, null]}}',
    becomes: '{"image": {"tag": "6.0.1", "x": [1.0, null]}}',
    places: ['1:19 5 → "6.0.1"'],
  },
  {
    what: 'a value of Helm, and the same one by its marker: once',
    edits: [{ helmValue: { file: 'a.yaml', key: 'image.tag' } }, { marker: true }],
    text: `# values\nimage:\n  repository: x # here\n  tag: "6.0.0" ${M}\n\n# end`,
    becomes: `# values\nimage:\n  repository: x # here\n  tag: "6.0.1" ${M}\n\n# end`,
    places: ['4:8 "6.0.0" → "6.0.1"'],
  },
]

const image = (set: 'newTag' | 'newName' | 'digest', name = 'podinfo'): PromotionEdit => ({
  kustomizeImage: { file: 'a.yaml', name, set },
})

const kustomizations: readonly EditCase[] = [
  {
    what: 'a tag of kustomize',
    edits: [image('newTag')],
    text: 'images:\n- name: other\n  newTag: "1"\n- newTag: 6.0.0 # here\n  name: podinfo\n',
    becomes: 'images:\n- name: other\n  newTag: "1"\n- newTag: 6.0.1 # here\n  name: podinfo\n',
    places: ['4:11 6.0.0 → 6.0.1'],
  },
  {
    what: 'another name',
    edits: [image('newName')],
    revision: 'quay.io/podinfo',
    text: 'images:\n- {name: podinfo, newName: "ghcr.io/podinfo", digest: x}\n',
    becomes: 'images:\n- {name: podinfo, newName: "quay.io/podinfo", digest: x}\n',
    places: ['2:28 "ghcr.io/podinfo" → "quay.io/podinfo"'],
  },
  {
    what: 'a digest of kustomize, beside a tag',
    edits: [image('digest')],
    revision: E,
    text: `images:\n- name: podinfo\n  newTag: v1\n  digest: ${D}\n`,
    becomes: `images:\n- name: podinfo\n  newTag: v1\n  digest: ${E}\n`,
    places: [`4:11 ${D} → ${E}`],
  },
  {
    what: 'a tag that is not there, behind the name and its comment',
    edits: [image('newTag')],
    text: 'images:\n- name: podinfo # the app\n  newName: x\n\n# end\n',
    becomes: 'images:\n- name: podinfo # the app\n  newTag: 6.0.1\n  newName: x\n\n# end\n',
    places: ['2:26  → \n  newTag: 6.0.1'],
  },
  {
    what: 'a tag that is not there, with line ends of Windows, at the end of the file',
    edits: [image('newTag')],
    revision: '1.10',
    text: 'images:\r\n    -   name: podinfo',
    becomes: 'images:\r\n    -   name: podinfo\r\n        newTag: "1.10"',
    places: ['2:22  → \r\n        newTag: "1.10"'],
  },
  {
    what: 'a tag that is not there, in brackets and for two images of one line',
    edits: [image('newTag'), image('newTag', 'b')],
    text: 'images: [{name: podinfo}, { "name": "b" , newName: c}]\n',
    becomes: 'images: [{name: podinfo, newTag: 6.0.1}, { "name": "b", "newTag": "6.0.1" , newName: c}]\n',
    places: ['1:24  → , newTag: 6.0.1', '1:40  → , "newTag": "6.0.1"'],
  },
]

export const editCases: readonly EditCase[] = [...markers, ...paths, ...kustomizations]

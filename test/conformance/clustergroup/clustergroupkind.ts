import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  canonicalJson,
  encodeJson,
  isString,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
  parseYamlStream,
  type YamlPath,
} from '../../../packages/kube/src/object/index.ts'
import { renderClusterGroup } from '../../../packages/lockstep/src/decisions/clustergroup/render/renderclustergroup.ts'
import {
  type ClusterGroupValuesFile,
  decodeValues,
} from '../../../packages/lockstep/src/decisions/clustergroup/values/layers.ts'
import { BadInput, type Case, type FolderKind } from '../conformancekind.ts'
import { listOf, objectOf } from '../datashape.ts'
import { differences } from '../difference.ts'
import { titleOf, without } from './objects.ts'
import { shuffled } from './shuffle.ts'
import { unitTests } from './unittest.ts'

/** How often each case is rendered with its maps in another order. */
const SHUFFLES = 3

/**
 * Chart clustergroup: recorded renderings, which are folders with `values*.yaml`, and `expected.json` or `expected-error.json`;
 * and the chart's own tests.
 */
export const clustergroup: FolderKind = {
  folders: (path) => {
    const found = foldersOf(path).flatMap((folder) =>
      isCase(folder) ? [caseOf(folder, relative(path, folder) || '.')] : unitTests(folder),
    )
    if (found.length === 0)
      throw new BadInput(
        `${path}: no folder with values.yaml and expected.json or expected-error.json, and no tests/*_test.yaml beside a values.yaml`,
      )
    return found
  },
}

function foldersOf(path: string): string[] {
  if (!statSync(path).isDirectory()) throw new BadInput(`${path}: is no folder`)
  const below = readdirSync(path, { recursive: true, withFileTypes: true }).filter((e) => e.isDirectory())
  return [path, ...below.map((e) => join(e.parentPath, e.name))].sort()
}

const EXPECTED = ['expected.json', 'expected-error.json']
const isCase = (folder: string): boolean =>
  existsSync(join(folder, 'values.yaml')) && EXPECTED.some((file) => existsSync(join(folder, file)))

function caseOf(folder: string, id: string): Case {
  const json = (file: string): JsonValue | undefined =>
    existsSync(join(folder, file)) ? parseJson(readFileSync(join(folder, file), 'utf8')) : undefined
  const [objects, error, rest] = [
    json('expected.json'),
    json('expected-error.json'),
    json('expected-rest.json'),
  ]
  if (objects !== undefined && error !== undefined)
    throw new BadInput(`${id}: has both ${EXPECTED.join(' and ')}`)
  const aside =
    rest === undefined
      ? {}
      : {
          aside: `${listOf(rest, `${id}/expected-rest.json`).length} objects of templates that stay with the chart`,
        }
  return {
    id,
    ...aside,
    run: () => {
      const files = valuesOf(folder)
      if (isString(files)) return [files]
      return error === undefined ? renderedAs(objects!, files) : refusedAs(error, files)
    },
  }
}

/** `values.yaml`, then the others by name; a text: one of them cannot be read. */
function valuesOf(folder: string): readonly ClusterGroupValuesFile[] | string {
  const others = readdirSync(folder).filter((f) => /^values-.*\.yaml$/.test(f))
  const out: ClusterGroupValuesFile[] = []
  for (const file of ['values.yaml', ...others.sort()]) {
    const read = decodeValues(file, readFileSync(join(folder, file)))
    if ('stage' in read) return read.text
    out.push(read)
  }
  return out
}

function renderedAs(expected: JsonValue, files: readonly ClusterGroupValuesFile[]): readonly string[] {
  const made = renderClusterGroup({ files, sequencing: 'Jobs' })
  if (!made.ok) return made.error.map((p) => `refused at stage ${p.stage}: ${p.text}`)
  const { objects } = made.value
  const differ = compared(listOf(expected, 'expected.json') as JsonObject[], objects)
  for (let seed = 1; seed <= SHUFFLES; seed++) {
    const again = renderClusterGroup({ files: files.map((f) => inOtherOrder(f, seed)), sequencing: 'Jobs' })
    if (!again.ok || encodeJson(again.value.objects) !== encodeJson(objects))
      differ.push(`objects: other bytes when maps are shuffled by ${seed}`)
  }
  return differ
}

/** Which objects there should not be, or should be; if they are the same ones, where they differ. */
function compared(expected: readonly JsonObject[], got: readonly JsonObject[]): string[] {
  const [left, right] = [sorted(expected), sorted(got)]
  const titles = [left.map(titleOf), right.map(titleOf)] as const
  if (titles[0].join() !== titles[1].join())
    return [
      ...without(titles[0], titles[1], String).map((t) => `${t}: expected and not there`),
      ...without(titles[1], titles[0], String).map((t) => `${t}: not expected`),
    ]
  return left.flatMap((o, i) => differences(titles[0][i]!, o, right[i]))
}

const inOtherOrder = ({ file, text }: ClusterGroupValuesFile, seed: number): ClusterGroupValuesFile => ({
  file,
  text: encodeJson(shuffled(parseYamlStream(text, 'Last')[0] ?? {}, seed)),
})

/** By apiVersion, kind, namespace, name, then their text. */
const sorted = (objects: readonly JsonObject[]): JsonObject[] =>
  objects
    .map((o) => ({ o, key: keyOf(o) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ o }) => o)

const keyOf = (o: JsonObject): string =>
  [o.apiVersion, o.kind, member(o.metadata, 'namespace'), member(o.metadata, 'name'), canonicalJson(o)]
    .map((v) => `${v ?? ''}\u0000`)
    .join('')

/** At the same stage; where values are refused, at the same places. */
function refusedAs(error: JsonValue, files: readonly ClusterGroupValuesFile[]): readonly string[] {
  const { stage, message } = objectOf(error, 'expected-error.json', ['stage', 'message'])
  const made = renderClusterGroup({ files, sequencing: 'Jobs' })
  if (made.ok) return [`stage: expected ${stage} got ${made.value.objects.length} objects`]
  const [first] = made.error
  if (first!.stage !== stage) return [`stage: expected ${stage} got ${first!.stage}: ${first!.text}`]
  if (stage !== 'values' || !isString(message)) return []
  const expected = new Set([...message.matchAll(/at '([^']*)'/g)].map(([, at]) => at!))
  const got = new Set(made.error.map((p) => pointer(p.at)))
  const missing = [...expected]
    .filter((at) => !got.has(at))
    .map((at) => `refused: expected ${at} got nothing`)
  const more = made.error.filter((p) => !expected.has(pointer(p.at)))
  return [...missing, ...more.map((p) => `refused: expected nothing at ${pointer(p.at)} got ${p.text}`)]
}

const pointer = (path: YamlPath): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

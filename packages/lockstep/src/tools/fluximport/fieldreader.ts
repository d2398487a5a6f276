/** One manifest while it is read for an import: what became of each of its fields. Nothing is left out in silence. */
import { at, isArray, isObject, type JsonValue, type YamlPath } from '@lockstep/kube/object'
import type { FilePosition } from '../../decisions/clustergroup/index.ts'
import { type FluxManifest, positionOf } from '../flux/fluxmanifest.ts'

/** Something that no Module says, or says otherwise. */
export interface ListedField {
  /** `loss`: it is not imported. `note`: nothing is lost, and people should know. */
  readonly level: 'loss' | 'note'
  readonly place: FilePosition
  /** `Kustomization apps/front`. */
  readonly of: string
  readonly manifest: FluxManifest
  /** Empty: all of it. */
  readonly path: YamlPath
  readonly why: string
  readonly todo: string
  /** Without it something else would be delivered, or too early, or as somebody else: the Module selects no cluster. */
  readonly holds: boolean
}

/** What the server writes: nobody wants anything by it. */
const OF_THE_SERVER: readonly YamlPath[] = [
  ['apiVersion'],
  ['kind'],
  ['status'],
  ...['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields'].map(
    (field) => ['metadata', field],
  ),
  ['metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration'],
]

export class FieldReader {
  readonly manifest: FluxManifest
  readonly listed: ListedField[] = []
  private readonly of: string
  private readonly done: YamlPath[] = [...OF_THE_SERVER]

  /** `of`: what it is called in messages. */
  constructor(manifest: FluxManifest, of: string) {
    this.manifest = manifest
    this.of = of
  }

  value(path: YamlPath): JsonValue | undefined {
    return at(this.manifest.value, ...path)
  }

  /** It is in the Module, or says what a Module does anyway. */
  settle(path: YamlPath): void {
    this.done.push(path)
  }

  lose(path: YamlPath, why: string, todo: string, holds = false): void {
    this.list('loss', path, why, todo, holds)
  }

  note(path: YamlPath, why: string, todo: string): void {
    this.list('note', path, why, todo, false)
  }

  /** At the end: what nobody has looked at is lost, and said. */
  close(tool = 'Flux'): void {
    const why = `this field is not known, or has a value that ${tool} does not accept`
    for (const path of this.untouched(this.manifest.value, []))
      this.lose(path, why, 'Correct it, or take it out.', path[0] === 'spec')
  }

  private list(level: ListedField['level'], path: YamlPath, why: string, todo: string, holds: boolean): void {
    const { manifest, of } = this
    const place = positionOf(manifest, path.length > 0 ? path : ['metadata', 'name'], keyOrValue(path))
    this.listed.push({ level, place, of, manifest, path, why, todo, holds })
    this.settle(path)
  }

  /** The shortest paths below which nobody has looked at anything. */
  private untouched(value: JsonValue | undefined, path: YamlPath): YamlPath[] {
    if (value === null || value === undefined) return []
    if (this.done.some((d) => isPrefix(d, path))) return []
    if (path.length > 1 && !this.done.some((d) => isPrefix(path, d))) return isBare(value) ? [] : [path]
    if (isArray(value)) return value.flatMap((v, i) => this.untouched(v, [...path, i]))
    if (isObject(value)) return Object.keys(value).flatMap((k) => this.untouched(value[k], [...path, k]))
    return [path]
  }
}

export const isPrefix = (shorter: YamlPath, longer: YamlPath): boolean =>
  shorter.every((step, i) => step === longer[i])

/** Says nothing: `{}`, `[]` and `''` are what Flux leaves out when it writes. */
export const isBare = (v: JsonValue | undefined): boolean =>
  v === '' || (isArray(v) && v.length === 0) || (isObject(v) && Object.values(v).every(isBare))

/** Items of lists have no key. */
const keyOrValue = (path: YamlPath): 'key' | 'value' => (typeof path.at(-1) === 'string' ? 'key' : 'value')

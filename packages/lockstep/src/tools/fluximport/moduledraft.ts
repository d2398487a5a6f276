/** A Module in the making: what is in it, and which field of which manifest it comes from. */

import {
  isObject,
  type JsonObject,
  type JsonValue,
  setMember,
  valuePathText,
  type YamlPath,
} from '@lockstep/kube/object'
import { type GitSource, moduleSpec } from '../../api/kinds/index.ts'
import type { FluxManifest } from '../flux/fluxmanifest.ts'
import { type FluxUnit, unitText } from '../flux/fluxunit.ts'
import { FieldReader, isPrefix } from './fieldreader.ts'

type DraftMembers = { [key: string]: JsonValue | undefined }

interface Origin {
  readonly to: YamlPath
  readonly reading: FieldReader
  readonly from: YamlPath
}

/** In which order people read them. */
const ORDER = ['source', 'render', 'targets', 'bindings', 'dependsOn', 'rollout', 'apply', 'health']

/** What becomes a Module. */
export interface ImportSubject {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly manifest: FluxManifest
}

export class ModuleDraft<U extends ImportSubject = FluxUnit> {
  readonly unit: U
  /** Of the unit's own manifest. */
  readonly reading: FieldReader
  private readonly members: DraftMembers = {}
  private readonly origins: Origin[] = []

  constructor(unit: U) {
    this.unit = unit
    this.reading = new FieldReader(unit.manifest, unitText(unit))
  }

  /** `from` says so, in the manifest of `reading`, and nothing else. */
  set(to: YamlPath, value: JsonValue, from: YamlPath, reading: FieldReader = this.reading): void {
    this.gather(to, value, from, reading)
    reading.settle(from)
  }

  /** The same of a part of what `from` says: whoever takes it settles what was taken. */
  gather(to: YamlPath, value: JsonValue, from: YamlPath, reading: FieldReader = this.reading): void {
    this.origins.push({ to, reading, from })
    put(this.members, to, value)
  }

  /** What is so although no field says it. */
  imply(to: YamlPath, value: JsonValue): void {
    put(this.members, to, value)
  }

  /** What a Module does not take is lost, and said. */
  refuseInvalid(): void {
    const checked = moduleSpec.safeParse(this.members)
    for (const issue of checked.success ? [] : checked.error.issues) {
      const path = issue.path as YamlPath
      const found = this.origins.filter((o) => isPrefix(o.to, path)).at(-1)
      if (!found) continue
      take(this.members, found.to)
      const where = `spec.${valuePathText(path)} of a Module`
      found.reading.lose(
        found.from,
        `${where}: ${issue.message}`,
        'Write it so that it fits, or take it out.',
        true,
      )
    }
  }

  /** Its source, with defaults; undefined: it has none that a Module takes. */
  git(): GitSource | undefined {
    const checked = moduleSpec.shape.source.safeParse(this.members.source)
    return checked.success ? checked.data.git : undefined
  }

  /** Undefined: nobody knows to which cluster it goes. */
  targets(): JsonValue | undefined {
    return this.members.targets
  }

  /** What is held selects no cluster. */
  spec(isHeld: boolean): JsonObject {
    const names = ORDER.filter((name) => this.members[name] !== undefined && !(isHeld && name === 'targets'))
    return Object.fromEntries(names.map((name) => [name, this.members[name]!]))
  }
}

function put(members: DraftMembers, path: YamlPath, value: JsonValue): void {
  const [step, ...rest] = path
  const here = members[String(step)]
  const below: DraftMembers = isObject(here) ? { ...here } : {}
  if (rest.length > 0) put(below, rest, value)
  setMember(members, String(step), rest.length > 0 ? (below as JsonObject) : value)
}

function take(members: DraftMembers, path: YamlPath): void {
  const [step, ...rest] = path
  const here = members[String(step)]
  if (rest.length === 0) delete members[String(step)]
  else if (isObject(here)) {
    const below: DraftMembers = { ...here }
    take(below, rest)
    setMember(members, String(step), below as JsonObject)
  }
}

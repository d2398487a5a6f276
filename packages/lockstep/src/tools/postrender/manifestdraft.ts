/** Objects of a set on their way to the output: read as they are by now, changed as values, written at the end. */
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  rewriteYaml,
  setMember,
  type YamlPath,
} from '@lockstep/kube/object'
import type { FluxDocument, FluxManifest } from '../flux/fluxmanifest.ts'

export class ManifestDraft {
  private readonly changed = new Map<FluxManifest, JsonObject>()

  /** As it is by now. */
  of(m: FluxManifest): JsonObject {
    return this.changed.get(m) ?? m.value
  }

  spec(m: FluxManifest): JsonObject {
    const spec = at(this.of(m), 'spec')
    return isObject(spec) ? spec : {}
  }

  set(m: FluxManifest, path: YamlPath, value: JsonValue): void {
    this.changed.set(m, withValue(this.of(m), path, value) as JsonObject)
  }

  /** In the order of the manifests: what changed, before and after. */
  changes(manifests: readonly FluxManifest[]): (readonly [FluxManifest, JsonObject])[] {
    return manifests.flatMap((m) => {
      const after = this.changed.get(m)
      return after && !jsonEqual(m.value, after) ? [[m, after] as const] : []
    })
  }

  /** The text of a document with what changed in it; its bytes where nothing did. */
  text(
    document: FluxDocument,
    manifests: readonly FluxManifest[],
  ): { readonly text: string; readonly inPlace: boolean } {
    const changes = this.changes(manifests)
    if (changes.length === 0 || document.value === undefined) return { text: document.text, inPlace: true }
    const after = changes.reduce((v: JsonValue, [m, value]) => withValue(v, m.path, value), document.value)
    return rewriteYaml(document.text, document.value, after, document.tree())
  }
}

/** A copy in which something else stands at `path`; what is missing on the way there is made. */
function withValue(value: JsonValue | undefined, path: YamlPath, to: JsonValue): JsonValue {
  const [step, ...rest] = path
  if (step === undefined) return to
  if (typeof step === 'number') {
    const list = isArray(value) ? value : []
    return list.map((v, i) => (i === step ? withValue(v, rest, to) : v))
  }
  const out: { [key: string]: JsonValue | undefined } = isObject(value) ? { ...value } : {}
  setMember(out, step, withValue(at(value, step), rest, to))
  return out
}

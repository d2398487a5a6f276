import { type Digest, digestOf, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import { contentOfSpec } from './contentofspec.ts'

/**
 * Hash of a module's spec and its resolved inputs. Known when published; names a ControllerRevision. The kind is in
 * it: a Module and a BootstrapModule of one name are two histories.
 */
export function revisionOf(kind: string, spec: JsonObject, inputs: readonly ResolvedInput[]): Digest {
  return digestOf('revision/1', { kind, spec: contentOfSpec(spec), inputs: inputs as unknown as JsonValue })
}

/** One resolved upstream input: where in the spec, and the digest of what was there. */
export interface ResolvedInput {
  readonly path: string
  readonly digest: Digest
}

/**
 * Hash of the revision, the attempt and the dependencies' gate digests, by edge. Gates compare only this. An edge with
 * `release: Any` gives only its id: such a dependency's moves never re-verify its dependants; an optional dependency
 * that is not there gives "absent", an object what is asked of it.
 */
export function gateDigestOf(revision: Digest, attempt: number, edges: readonly EdgeDigest[]): Digest {
  const sorted = edges.length < 2 ? edges : [...edges].sort((a, b) => (a.id < b.id ? -1 : 1))
  let key = `${revision} ${attempt}`
  for (const { id, digest } of sorted) key += `\n${id.length} ${id} ${digest}`
  const known = digests.get(key)
  if (known !== undefined) return known
  const made = digestOf('gate/1', [revision, attempt, sorted.map((e) => [e.id, e.digest])])
  if (digests.size >= MOST_DIGESTS) digests.clear()
  digests.set(key, made)
  return made
}

/** The same few for all clusters of a fleet, asked for again and again. */
const digests = new Map<string, Digest>()
const MOST_DIGESTS = 4096

export interface EdgeDigest {
  readonly id: string
  readonly digest: string
}

/** What Git, OCI and Helm servers hold in a simulation, and what the source-controller has stored of it. No network. */
import { canonicalJson, type JsonValue, type KubeObject, sha256Hex } from '@lockstep/kube/object'

/** A chart: its documents as a function of the values. */
export interface ChartArtifact {
  readonly name: string
  readonly version: string
  readonly templates: (values: JsonValue) => readonly KubeObject[]
}

/** What a revision holds: objects by folder (`apps/front`, '' for the root), charts by path or, in a repository, by name. */
export interface ArtifactContent {
  readonly objects?: Readonly<Record<string, readonly KubeObject[]>>
  readonly charts?: readonly (ChartArtifact & { readonly path?: string })[]
}

export interface Revision {
  /** `main@sha1:<hex>`, `1.2.3@sha256:<hex>`. */
  readonly revision: string
  readonly content: ArtifactContent
}

export class Artifacts {
  private readonly remote = new Map<string, Revision>()
  private readonly stored = new Map<string, ArtifactContent>()

  /**
   * From now on `ref` (a branch, tag, range or digest; '' where there is none) of what is at `url` is this revision. Without a
   * name of its own the revision is named by its content, as a commit or a digest is.
   */
  publish(
    url: string,
    ref: string,
    content: ArtifactContent,
    revision = `${ref}@sha1:${digestOf(content).slice(0, 40)}`,
  ): string {
    this.remote.set(`${url}#${ref}`, { revision, content })
    return revision
  }

  resolve(url: string, ref: string): Revision | undefined {
    return this.remote.get(`${url}#${ref}`)
  }

  /** Keeps content for those who fetch it; gives the digest of the artifact. */
  keep(content: ArtifactContent): string {
    const digest = `sha256:${digestOf(content)}`
    this.stored.set(digest, content)
    return digest
  }

  fetch(digest: string): ArtifactContent | undefined {
    return this.stored.get(digest)
  }
}

/** Equal content, equal digest: of a chart its templates count, rendered without values. */
function digestOf({ objects = {}, charts = [] }: ArtifactContent): string {
  const rendered = charts.map((c) => [c.name, c.version, c.path ?? '', c.templates({})])
  return sha256Hex(canonicalJson([objects, rendered]))
}

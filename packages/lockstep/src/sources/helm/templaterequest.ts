/** What is asked of Helm: a chart, where its files are, and all else that its objects depend on. */
import type { GitSource, HelmRender, HelmSource } from '../../api/kinds/index.ts'
import { type ResolvedRef, revisionText } from '../git/gitref.ts'
import { chartRevision, type ResolvedChart } from '../helmrepository/resolvedchart.ts'
import type { ManifestText, SourceManifest } from '../intake/renderplain.ts'
import type { SourceTree } from '../intake/sourcetree.ts'

/** A commit of a repository. */
export interface GitCheckout {
  readonly git: GitSource
  readonly picked: ResolvedRef
}

/** A chart that is an archive: its files are here already. */
export interface ChartPackage {
  readonly helm: HelmSource
  readonly picked: ResolvedChart
  /** `Chart.yaml` is at its root. */
  readonly tree: SourceTree
}

/** Where a chart comes from, for messages: `https://example.com/a.git at main@sha1:…`. */
export const chartOrigin = (of: GitCheckout | ChartPackage): string =>
  'git' in of
    ? `${of.git.url} at ${revisionText(of.picked)}`
    : `chart ${of.helm.chart} of ${of.helm.repository} at ${chartRevision(of.picked)}`

/** A file of values that lies outside the hub. */
export interface HelmValuesFile {
  /** In the spec, for messages: `spec.render.helm.valuesFiles[0]: ../prod.yaml`. */
  readonly where: string
  /** Another repository than that of the chart. */
  readonly of?: GitCheckout
  /** From the root of the repository. */
  readonly path: string
}

export interface TemplateRequest {
  readonly chart: GitCheckout | ChartPackage
  /** The chart's directory; '' is the root of the repository. */
  readonly directory: string
  /** `spec.source.ignore`. */
  readonly ignore: string | undefined
  readonly valuesFiles: readonly HelmValuesFile[]
  readonly options: TemplateOptions
  /** Over all files, from left to right: each a YAML document. */
  readonly values: readonly ManifestText[]
}

/** What Helm is told besides the chart and its values. */
export interface TemplateOptions
  extends Pick<
    HelmRender,
    | 'ignoreMissingValuesFiles'
    | 'kubeVersion'
    | 'apiVersions'
    | 'parameters'
    | 'includeCRDs'
    | 'tests'
    | 'skipSchemaValidation'
    | 'allowRandom'
  > {
  readonly releaseName: string
  readonly namespace: string
}

/** What Helm made of it. */
export interface TemplateResult {
  readonly manifests: readonly SourceManifest[]
  /** What people should know of the chart. */
  readonly warnings: readonly string[]
}

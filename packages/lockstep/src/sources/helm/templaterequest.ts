/** What is asked of Helm: a chart, where its files are, and all else that its objects depend on. */
import type { HelmRender } from '../../api/kinds/module/renderspec.ts'
import type { GitSource, HelmSource } from '../../api/kinds/module/sourcespec.ts'
import { chartRevision, type PickedChart } from '../helmrepository/resolvedchart.ts'
import { type Picked, revisionText } from '../git/gitref.ts'
import type { Manifest, SourceText } from '../intake/renderplain.ts'
import type { Tree } from '../intake/sourcetree.ts'

/** A commit of a repository. */
export interface Checkout {
  readonly git: GitSource
  readonly picked: Picked
}

/** A chart that is an archive: its files are here already. */
export interface Package {
  readonly helm: HelmSource
  readonly picked: PickedChart
  /** `Chart.yaml` is at its root. */
  readonly tree: Tree
}

/** Where a chart comes from, for messages: `https://example.com/a.git at main@sha1:…`. */
export const originOf = (of: Checkout | Package): string =>
  'git' in of
    ? `${of.git.url} at ${revisionText(of.picked)}`
    : `chart ${of.helm.chart} of ${of.helm.repository} at ${chartRevision(of.picked)}`

/** A file of values that lies outside the hub. */
export interface ValuesFile {
  /** In the spec, for messages: `spec.render.helm.valuesFiles[0]: ../prod.yaml`. */
  readonly where: string
  /** Another repository than that of the chart. */
  readonly of?: Checkout
  /** From the root of the repository. */
  readonly path: string
}

export interface ChartQuestion {
  readonly chart: Checkout | Package
  /** The chart's directory; '' is the root of the repository. */
  readonly directory: string
  /** `spec.source.ignore`. */
  readonly ignore: string | undefined
  readonly valuesFiles: readonly ValuesFile[]
  readonly options: ChartOptions
  /** Over all files, from left to right: each a YAML document. */
  readonly values: readonly SourceText[]
}

/** What Helm is told besides the chart and its values. */
export interface ChartOptions
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
export interface Templated {
  readonly manifests: readonly Manifest[]
  /** What people should know of the chart. */
  readonly warnings: readonly string[]
}

/** What is asked of Helm: a chart, where its files are, and all else that its objects depend on. */
import type { HelmRender } from '../../api/kinds/render.ts'
import type { GitSource } from '../../api/kinds/source.ts'
import type { Picked } from '../git/ref.ts'
import type { Manifest, SourceText } from '../render.ts'

/** A commit of a repository. */
export interface Checkout {
  readonly git: GitSource
  readonly picked: Picked
}

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
  readonly chart: Checkout
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

/** One version of a chart, as it was resolved. */
export interface ResolvedChart {
  /** As `Chart.yaml` has it: `1.18.2`, `1.18.2+build.3`. */
  readonly version: string
  /** `sha256:…` of the .tgz, or of the OCI manifest. */
  readonly digest: string
  /** Of a repository with an index: where the .tgz is, the first that answers. */
  readonly urls?: readonly string[]
}

/** `1.18.2@sha256:…`: what a status shows. */
export const chartRevision = ({ version, digest }: ResolvedChart): string => `${version}@${digest}`

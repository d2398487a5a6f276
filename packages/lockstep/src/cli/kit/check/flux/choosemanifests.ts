/** Which files of a folder are manifests, and which of them only look so. */

export interface ChosenManifests {
  readonly files: readonly string[]
  /** Folders whose files are no manifests before somebody renders them. */
  readonly charts: readonly string[]
}

const MANIFEST = /\.(ya?ml|json)$/

/** Of all files below a folder, by their paths from there. What begins with a dot is for tools. */
export function chooseManifests(paths: readonly string[]): ChosenManifests {
  const charts = paths.flatMap((p) =>
    /(?:^|\/)Chart\.yaml$/.test(p) ? [`${p.slice(0, -'Chart.yaml'.length)}templates/`] : [],
  )
  const files = paths.filter(
    (p) =>
      MANIFEST.test(p) &&
      !p.split('/').some((step) => step.startsWith('.') || step === 'node_modules') &&
      !charts.some((c) => p.startsWith(c)),
  )
  return { files: files.toSorted(), charts: charts.filter((c) => paths.some((p) => p.startsWith(c))) }
}

/** Charts as Helm renders them: units of Flux in layers, with sources, and among other things. */

export interface FluxChartOptions {
  readonly units: number
  readonly depth: number
  /** What these units have in their spec beside what all have: by number. */
  readonly change?: Readonly<Record<number, string>>
  readonly commit?: Readonly<Record<string, string>>
}

const SOURCES = ['infra', 'apps']

/** What a unit depends on: one or two of the layer above, which is where its number says. */
export function needsOf(i: number, o: FluxChartOptions): number[] {
  const width = Math.ceil(o.units / o.depth)
  if (i < width) return []
  const above = Math.floor(i / width) * width - width
  return [...new Set([above + (i % width), above + ((i * 7) % width)])].sort((a, b) => a - b)
}

/** Everything that a change of unit `i` has verified again. */
export function reachedFrom(i: number, o: FluxChartOptions): Set<number> {
  const reached = new Set([i])
  for (let k = i + 1; k < o.units; k++) if (needsOf(k, o).some((n) => reached.has(n))) reached.add(k)
  return reached
}

export function chartOf(o: FluxChartOptions): string {
  const documents = SOURCES.map((name) => source(name, o.commit?.[name] ?? '9b1c0000'.repeat(5)))
  for (let i = 0; i < o.units; i++) {
    documents.push(unit(i, o))
    if (i % 3 === 0) documents.push(other(i))
  }
  return documents.join('')
}

const source = (name: string, commit: string): string => `---
# Source: platform/templates/sources.yaml
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  name: ${name}
  namespace: flux-system
spec:
  url: https://example.com/${name}.git # where it is
  interval: 10m
  ref: { commit: "${commit}" }
`

const unit = (i: number, o: FluxChartOptions): string => `---
# Source: platform/templates/units.yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: unit-${i}
  namespace: flux-system
  labels: { app.kubernetes.io/part-of: platform }
spec:
  interval: 24h   # drift is rare
  retryInterval: 1m
  prune: true
  path: "./units/${i}"
${i % 4 === 0 ? '' : '  wait: true\n'}  sourceRef:
    kind: GitRepository
    name: ${SOURCES[i % 2]}
  postBuild:
    substitute: { REPLICAS: "0${i}" }
${o.change?.[i] ?? ''}${edges(needsOf(i, o), i)}`

const edges = (needs: readonly number[], i: number): string =>
  needs.length === 0
    ? ''
    : i % 5 === 0
      ? `  dependsOn: [${needs.map((n) => `{name: unit-${n}}`).join(', ')}]\n`
      : `  dependsOn:\n${needs.map((n) => `  - name: unit-${n} # first\n`).join('')}`

const other = (i: number): string => `---
# Source: platform/templates/other.yaml
apiVersion: v1
kind: ConfigMap
metadata:
    name: values-${i}
    annotations:
        "helm.sh/hook":   pre-upgrade
data:
    octal: "010"
    script: |
        #!/bin/sh
        echo "---"
         --- no marker
`

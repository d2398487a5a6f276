/** The HelmChart that a HelmRelease makes of its template (`internal/reconcile/helmchart_template.go`). */

import type { ApiFailure } from '@lockstep/apiserver/status'
import { ok, type Result } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import { request } from '../fluxcontext.ts'
import { helmReleaseSpec, keyIn, RESOURCES } from '../fluxkind.ts'
import type { HelmRun } from './helmrun.ts'

const GROUP = 'helm.toolkit.fluxcd.io'

export const chartNameOf = (release: KubeObject): string =>
  `${release.metadata.namespace ?? ''}-${release.metadata.name ?? ''}`

/** Brings the HelmChart up to the template; one that the template does not mean any more is deleted first. */
export async function reconcileHelmChart(run: HelmRun): Promise<Result<undefined, ApiFailure>> {
  const { c, subject, spec } = run
  const wanted = chartOf(subject.object)
  const ref = wanted && keyIn(wanted.metadata.namespace, wanted.metadata.name ?? '')
  const old = subject.field('helmChart')
  if (old && old !== ref) await removeChart(run)
  if (!wanted || spec.chartRef) return ok(undefined)
  await request(c.x)
  const applied = c.x.api.apply(wanted, c.manager, { force: true })
  if (!applied.ok) return applied
  subject.set({ helmChart: ref })
  return ok(undefined)
}

export async function removeChart({ c, subject }: HelmRun): Promise<void> {
  const ref = subject.field('helmChart')
  if (typeof ref !== 'string' || ref === '') return
  const [namespace = '', name = ''] = ref.split('/')
  await request(c.x)
  c.x.api.delete(RESOURCES.HelmChart, namespace, name, c.manager)
  subject.set({ helmChart: undefined })
}

function chartOf(release: KubeObject): KubeObject | undefined {
  const { chart, interval } = helmReleaseSpec(release)
  if (!chart) return undefined
  const { name = '', namespace = '' } = release.metadata
  const { sourceRef, version, reconcileStrategy } = chart.spec
  return {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'HelmChart',
    metadata: {
      name: chartNameOf(release),
      namespace: sourceRef.namespace ?? namespace,
      labels: { [`${GROUP}/name`]: name, [`${GROUP}/namespace`]: namespace },
    },
    spec: {
      chart: chart.spec.chart,
      ...(version === undefined ? {} : { version }),
      sourceRef: { kind: sourceRef.kind, name: sourceRef.name },
      interval: chart.spec.interval ?? interval,
      ...(reconcileStrategy === undefined ? {} : { reconcileStrategy }),
    },
  }
}

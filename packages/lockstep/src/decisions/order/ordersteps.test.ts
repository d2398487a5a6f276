import { expect, it } from 'vitest'
import { bundleOf, graphOf, manifest } from '../../../../../test/order.ts'
import { orderText } from './ordersteps.ts'

it('an order as numbered steps, each with what it waits for, and whose word that is', () => {
  const bundle = bundleOf(`
apiVersion: v1
kind: Namespace
metadata: {name: app}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: api, namespace: app}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  namespace: app
  annotations: {helm.sh/hook: "pre-install,pre-upgrade"}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
  namespace: app
  annotations:
    lockstep.dev/depends-on: apps/namespaces/db/StatefulSet/db
    client.lifecycle.config.k8s.io/mutation: ignore
spec: {template: {spec: {serviceAccountName: api}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: left, namespace: app, annotations: {kapp.k14s.io/noop: "", kapp.k14s.io/deploy-logs: ""}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: undo, namespace: app, annotations: {lockstep.dev/hook: SyncFail}}
`)
  expect(orderText(graphOf(bundle))).toEqual([
    '1. apply Namespace app',
    '1. leave ConfigMap app/left (Ignore)',
    '1. wait for apps/StatefulSet db/db (Healthy)',
    '2. run batch/Job app/migrate (PreSync at install, upgrade) after Namespace app Applied (implied: namespace)',
    '3. apply ServiceAccount app/api after Namespace app Applied (implied: namespace); PreSync Applied (implied: PreSync before Sync)',
    '4. apply apps/Deployment app/api (IfNotPresent) after apps/StatefulSet db/db Healthy (Own: lockstep.dev/depends-on); Namespace app Applied (implied: namespace); PreSync Applied (implied: PreSync before Sync); ServiceAccount app/api Applied (implied: serviceAccountName)',
    'after a failure, 1. run batch/Job app/undo',
    'warning: ConfigMap app/left: kapp.k14s.io/deploy-logs has no effect',
  ])
})

it('steps of waves say which wave comes before', () => {
  const wave = (n: string) => ({ 'argocd.argoproj.io/sync-wave': n })
  const bundle = [manifest('v1 ConfigMap app/b', wave('2')), manifest('v1 ConfigMap app/a', wave('1'))]
  expect(orderText(graphOf(bundle))).toEqual([
    '1. apply ConfigMap app/a',
    '2. apply ConfigMap app/b after wave 1 Applied (Argo: argocd.argoproj.io/sync-wave 1 before 2)',
  ])
})

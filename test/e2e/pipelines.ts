/** A pipeline that people move on by hand: of a Module of the platform, through three environments that are all on the hub. */

const targets = 'targets: [{namespace: platform}]'

export const PIPELINE = `apiVersion: lockstep.dev/v1alpha1
kind: Pipeline
metadata: {name: podinfo, namespace: platform}
spec:
  identity: podinfo
  appRef: {apiVersion: lockstep.dev/v1alpha1, kind: Module, name: monitoring}
  environments:
    - {name: dev, ${targets}}
    - {name: staging, ${targets}, promotion: {strategy: manual}}
    - {name: prod, ${targets}, promotion: {strategy: manual, approval: Required}}
`

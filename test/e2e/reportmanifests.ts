/** Objects of which commands make their reports. */

/** Approvals, budgets and an expired Hold. */
export const SAID = `apiVersion: lockstep.dev/v1alpha1
kind: Hold
metadata: {name: over}
spec: {targetRef: {kind: Module, name: monitoring}, reason: done, until: "2020-01-01T00:00:00Z"}
---
apiVersion: lockstep.dev/v1alpha1
kind: Approval
metadata: {name: early}
spec: {targetRef: {kind: Module, name: monitoring}, stage: canary, revisionHash: "0123456789", approvedBy: admin}
---
apiVersion: lockstep.dev/v1alpha1
kind: DisruptionBudget
metadata: {name: all}
spec: {clusterSelector: {}, maxUnavailable: "100%"}
`

/** A Module that fails, one that waits for it, and one with a hook that fails. */
export const BROKEN = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: broken}
spec:
  release: "1"
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: default}, data: {a: "1"}, immutable: "yes"}]}}
  targets: {clusterSelector: {}}
---
apiVersion: lockstep.dev/v1alpha1
kind: BootstrapModule
metadata: {name: waiting}
spec:
  release: "2"
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: w, namespace: default}}]}}
  targets: {clusterSelector: {}}
  dependsOn: [{id: x, module: {kind: Module, name: broken}}]
---
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: hooked}
spec:
  targets: {clusters: [cluster-1]}
  source:
    inline:
      objects:
        - {apiVersion: v1, kind: ConfigMap, metadata: {name: h, namespace: default}}
        - apiVersion: batch/v1
          kind: Job
          metadata:
            name: migrate
            namespace: default
            annotations: {lockstep.dev/hook: PreSync, lockstep.dev/hook-timeout: 1s}
          spec:
            suspend: true
            template: {spec: {restartPolicy: Never, containers: [{name: main, image: "migrate:1"}]}}
`

/** Input of `import fleeet`. */
export const FLEEET = `apiVersion: fleet.squaremo.dev/v1alpha1
kind: Module
metadata: {name: podinfo}
spec: {selector: {}, sync: {source: {git: {url: "https://example.com/p", version: {tag: v1}}}}}
`

/** Input of `import flux`. */
export const FLUX = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: apps}
spec: {path: web, prune: true, suspend: true, sourceRef: {kind: GitRepository, name: fleet}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: apps}
spec: {url: "https://example.com/fleet"}
`

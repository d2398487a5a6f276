/** APIs that are there before any operator of a pattern: those of Kubernetes, of OpenShift 4, of its OLM and GitOps operator. */
import { isCustomGroup } from '@lockstep/kube/object'

/** Served by OpenShift itself, or by the operators of its release payload (github.com/openshift/api). */
const OPENSHIFT: ReadonlySet<string> = new Set([
  'apiserver.openshift.io',
  'apps.openshift.io',
  'authorization.openshift.io',
  'autoscaling.openshift.io',
  'build.openshift.io',
  'cloudcredential.openshift.io',
  'config.openshift.io',
  'console.openshift.io',
  'controlplane.operator.openshift.io',
  'helm.openshift.io',
  'image.openshift.io',
  'imageregistry.operator.openshift.io',
  'ingress.operator.openshift.io',
  'insights.openshift.io',
  'machine.openshift.io',
  'machineconfiguration.openshift.io',
  'monitoring.openshift.io',
  'network.openshift.io',
  'network.operator.openshift.io',
  'oauth.openshift.io',
  'operator.openshift.io',
  'performance.openshift.io',
  'project.openshift.io',
  'quota.openshift.io',
  'route.openshift.io',
  'samples.operator.openshift.io',
  'security.internal.openshift.io',
  'security.openshift.io',
  'template.openshift.io',
  'tuned.openshift.io',
  'user.openshift.io',
])

/** Brought by the release payload, too, or by what delivers the pattern. */
const BESIDE: ReadonlySet<string> = new Set([
  'argoproj.io',
  'gitops.hybrid-cloud-patterns.io',
  'infrastructure.cluster.x-k8s.io',
  'ipam.cluster.x-k8s.io',
  'k8s.cni.cncf.io',
  'k8s.ovn.org',
  'metal3.io',
  'migration.k8s.io',
  'monitoring.coreos.com',
  'olm.operatorframework.io',
  'operators.coreos.com',
  'packages.operators.coreos.com',
  'pipelines.openshift.io',
  'policy.networking.k8s.io',
  'snapshot.storage.k8s.io',
  'whereabouts.cni.cncf.io',
])

export const isPlatformObject = (group: string): boolean =>
  !isCustomGroup(group) || OPENSHIFT.has(group) || BESIDE.has(group)

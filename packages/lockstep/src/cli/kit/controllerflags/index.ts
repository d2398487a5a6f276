// The face of this folder: what others import.
export { allowClusterProxyOption, clusterProxiesOf } from './allowclusterproxy.ts'
export { allowHostOption, allowHostsOf } from './allowhost.ts'
export { argocdNamespacesOf, argocdNamespacesOption } from './argocdnamespaces.ts'
export { cacheDirOf, cacheDirOption } from './cachedir.ts'
export { authoritiesOf, caFileOption } from './cafile.ts'
export { gitAuthorOf, gitAuthorOption } from './gitauthor.ts'
export { maxRemovalOf, maxRemovalOption } from './maxremoval.ts'
export { maxSourceTimeoutOf, maxSourceTimeoutOption } from './maxsourcetimeout.ts'

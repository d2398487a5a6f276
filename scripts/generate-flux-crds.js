// Writes packages/simulators/src/flux/crds.generated.json from the definitions in the Go modules of Flux's controllers. Run by a developer
// when the simulated Flux moves to other versions (needs `go` and its module proxy): node scripts/generate-flux-crds.js
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateDefinitions } from './definitions.js'

const folder = 'config/crd/bases'

/** Modules, and which of their definitions the simulation serves. The source-controller is of the same distribution. */
const MODULES = [
  {
    module: 'github.com/fluxcd/kustomize-controller',
    version: 'v1.9.4',
    folder,
    files: ['kustomize.toolkit.fluxcd.io_kustomizations'],
  },
  {
    module: 'github.com/fluxcd/helm-controller',
    version: 'v1.6.3',
    folder,
    files: ['helm.toolkit.fluxcd.io_helmreleases'],
  },
  {
    module: 'github.com/fluxcd/source-controller',
    version: 'v1.9.4',
    folder,
    files: ['gitrepositories', 'ocirepositories', 'buckets', 'helmrepositories', 'helmcharts'].map(
      (plural) => `source.toolkit.fluxcd.io_${plural}`,
    ),
  },
]

const root = dirname(dirname(fileURLToPath(import.meta.url)))
generateDefinitions(
  MODULES,
  join(root, 'packages/simulators/src/flux/crds.generated.json'),
  'Apache-2.0, Copyright The Flux authors',
)

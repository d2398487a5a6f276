// Writes packages/simulators/src/olm/crds.generated.json from the definitions in the Go modules of OLM and Argo CD. Run by a developer when
// simulated patterns move to other versions (needs `go` and its module proxy): node scripts/generate-olm-crds.js
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateDefinitions } from './definitions.js'

/** Kinds that the cluster group of a pattern deploys. */
const MODULES = [
  {
    module: 'github.com/operator-framework/api',
    version: 'v0.30.0',
    folder: 'crds',
    files: ['subscriptions', 'operatorgroups', 'catalogsources', 'installplans'].map(
      (plural) => `operators.coreos.com_${plural}`,
    ),
  },
  {
    module: 'github.com/operator-framework/operator-controller',
    version: 'v1.2.0',
    folder: 'config/base/operator-controller/crd/bases',
    files: ['olm.operatorframework.io_clusterextensions'],
  },
  {
    module: 'github.com/argoproj/argo-cd/v3',
    version: 'v3.2.0',
    folder: 'manifests/crds',
    files: ['application-crd', 'appproject-crd'],
  },
]

const root = dirname(dirname(fileURLToPath(import.meta.url)))
generateDefinitions(
  MODULES,
  join(root, 'packages/simulators/src/olm/crds.generated.json'),
  'Apache-2.0, Copyright the authors of Operator Framework and of Argo CD',
)

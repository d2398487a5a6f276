/** Every family of kinds that there are rules for. */
import { applications } from './applicationrules.ts'
import { argoproj } from './argoprojrules.ts'
import { certificates } from './certificaterules.ts'
import { clouds } from './cloudrules.ts'
import { clusterApi } from './clusterapirules.ts'
import { databases } from './databaserules.ts'
import { flux } from './fluxhealthrules.ts'
import { gateways } from './gatewayrules.ts'
import { kubernetes } from './kubernetesrules.ts'
import { messaging } from './messagequeuerules.ts'
import { keptn, observability } from './observabilityrules.ts'
import { olm } from './olmrules.ts'
import { openshift } from './openshiftrules.ts'
import { gitopsPromoter } from './gitopspromoterrules.ts'
import type { KindRules } from './kindrule.ts'
import { secrets } from './secretrules.ts'
import { storage } from './storagerules.ts'
import { workflows } from './workflowrules.ts'

export const kindRules: readonly KindRules[] = [
  kubernetes,
  applications,
  argoproj,
  certificates,
  clouds,
  clusterApi,
  databases,
  flux,
  gateways,
  gitopsPromoter,
  keptn,
  messaging,
  observability,
  olm,
  openshift,
  secrets,
  storage,
  workflows,
].flat()

/** Every family of kinds that there are rules for. */
import { applications } from './applications.ts'
import { argoproj } from './argoproj.ts'
import { certificates } from './certificates.ts'
import { clouds } from './clouds.ts'
import { clusterApi } from './clusterapi.ts'
import { databases } from './databases.ts'
import { flux } from './flux.ts'
import { gateways } from './gateways.ts'
import { kubernetes } from './kubernetes.ts'
import { messaging } from './messaging.ts'
import { keptn, observability } from './observability.ts'
import { olm } from './olm.ts'
import { openshift } from './openshift.ts'
import { gitopsPromoter } from './promoter.ts'
import type { KindRules } from './rule.ts'
import { secrets } from './secrets.ts'
import { storage } from './storage.ts'
import { workflows } from './workflows.ts'

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

/** Every family of kinds that there are rules for. */
import { applicationRules } from './applicationrules.ts'
import { argoprojRules } from './argoprojrules.ts'
import { certificateRules } from './certificaterules.ts'
import { cloudRules } from './cloudrules.ts'
import { clusterApiRules } from './clusterapirules.ts'
import { databaseRules } from './databaserules.ts'
import { fluxHealthRules } from './fluxhealthrules.ts'
import { gatewayRules } from './gatewayrules.ts'
import { gitopsPromoterRules } from './gitopspromoterrules.ts'
import type { KindRules } from './kindrule.ts'
import { kubernetesRules } from './kubernetesrules.ts'
import { messageQueueRules } from './messagequeuerules.ts'
import { keptnRules, observabilityRules } from './observabilityrules.ts'
import { olmRules } from './olmrules.ts'
import { openshiftRules } from './openshiftrules.ts'
import { secretRules } from './secretrules.ts'
import { storageRules } from './storagerules.ts'
import { workflowRules } from './workflowrules.ts'

export const kindRules: readonly KindRules[] = [
  kubernetesRules,
  applicationRules,
  argoprojRules,
  certificateRules,
  cloudRules,
  clusterApiRules,
  databaseRules,
  fluxHealthRules,
  gatewayRules,
  gitopsPromoterRules,
  keptnRules,
  messageQueueRules,
  observabilityRules,
  olmRules,
  openshiftRules,
  secretRules,
  storageRules,
  workflowRules,
].flat()

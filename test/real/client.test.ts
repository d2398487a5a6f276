import { informerCases } from '../../packages/kube/src/cache/informer.cases.ts'
import { readCases, runCases } from '../../packages/kube/src/client/client.cases.ts'
import { writeCases } from '../../packages/kube/src/client/write.cases.ts'
import { onRealServer } from './realsubject.ts'

runCases('client, on a real API server', [...readCases, ...writeCases, ...informerCases], onRealServer)

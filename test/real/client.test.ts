import { readCases, runCases } from '../../src/kube/client.cases.ts'
import { informerCases } from '../../src/kube/informer.cases.ts'
import { writeCases } from '../../src/kube/write.cases.ts'
import { onRealServer } from './subject.ts'

runCases('client, on a real API server', [...readCases, ...writeCases, ...informerCases], onRealServer)
